/** The import of a real file, an export of it against a walk, and the memory of exports in each format. */
import { fileURLToPath } from 'node:url'
import type { Part } from '../measure/command.ts'
import { listPages, walkPages } from '../measure/pages.ts'
import { type Cost, measureCost, privateMegabytes } from '../measure/processes.ts'
import { atMost, count, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'

const FILES: Readonly<Record<number, string>> = {
  3000000: 'flights-3m.parquet',
  200000: 'flights-200k.json',
}
const TYPE = ['--ontology', 'flights', '--type', 'flight']
const OBJECTS = '/ontologies/flights/objects/flight'
const FORMATS = ['ndjson', 'csv', 'xlsx', 'parquet', 'arrow'] as const
/** How much more memory the last third of an export may take than the first. */
const MEMORY_GROWTH = 1.25
const SAMPLE_MS = 100
const COMMAND_LIMIT_MB = 300

export const transfer: Part<{ readonly rows: number }> = {
  about: `Imports ${Object.values(FILES)[1]}, or a quick run ${Object.values(FILES)[0]}, into SQLite and exports it, against a
walk; then exports it in every format, whose memory may not grow. About 15 minutes and 8 GB.`,
  full: { rows: 3_000_000 },
  quick: { rows: 200_000 },
  stores: ['SQLite'],
  async run({ bench, numbers: { rows }, print }) {
    const file = FILES[rows]
    if (file === undefined) throw new Error(`--rows must be ${Object.keys(FILES).join(' or ')}.`)
    const service = await bench.startService()
    const path = new URL(`../../node_modules/vega-datasets/data/${file}`, import.meta.url)
    showProgress(`importing ${file}`)
    const args = ['import', fileURLToPath(path), ...TYPE, '--infer']
    const imported = await bench.measureCommand(service, args)
    showProgress('walking and exporting')
    const list = listPages({ snapshot: 'true' }, `/api/v1${OBJECTS}`)
    const walk = await measureCost([service.pid], () => walkPages(service, list))
    const files: FileExport[] = []
    for (const format of FORMATS) files.push(await exportFile(service, format))
    const figures = ({ seconds, megabytes }: Pick<Cost, 'seconds' | 'megabytes'>) =>
      [seconds.toFixed(1), count(rows / seconds), count(megabytes)] as const
    print(
      toMarkdown([
        [`${count(rows)} objects`, 'seconds', 'objects/s', 'service MB', 'command MB'],
        [`import ${file} --infer`, ...figures(imported), count(imported.command.megabytes)],
        ['walk in pages of 1,000', ...figures(walk), '-'],
      ]),
    )
    print(
      toMarkdown([
        ['Export', 'seconds', 'MB of the file', 'first third, MB', 'last third, MB'],
        ...files.map(({ format, seconds, bytes, first, last }) => [
          ...[format, seconds.toFixed(1), count(bytes / 1e6), count(first), count(last)],
        ]),
      ]),
    )
    return [
      atMost(COMMAND_LIMIT_MB, 'import --infer, private MB', imported.command.megabytes),
      atMost(1, 'export / walk, seconds', (files[0]?.seconds ?? Number.NaN) / walk.seconds),
      ...files.map(({ format, first, last }) =>
        atMost(MEMORY_GROWTH, `${format}: memory of the last third / first`, last / first),
      ),
    ]
  },
}

interface FileExport {
  readonly format: string
  readonly seconds: number
  readonly bytes: number
  /** The peaks of the private memory in the first and in the last third of the time, in MB. */
  readonly first: number
  readonly last: number
}

/** Reads a whole file as fast as the service writes it, and samples the memory of the service. */
async function exportFile(
  { url, headers, pid }: Service,
  format: (typeof FORMATS)[number],
): Promise<FileExport> {
  showProgress(`exporting ${format}`)
  const samples: number[] = []
  const timer = setInterval(() => samples.push(privateMegabytes(pid)), SAMPLE_MS)
  const start = performance.now()
  let bytes = 0
  try {
    const path = `/api/admin/v1${OBJECTS}/export?format=${format}`
    const { body, ok, status } = await fetch(new URL(path, url), { headers })
    if (!ok) throw new Error(`The export as ${format} failed: status ${status}.`)
    for await (const chunk of body ?? []) bytes += chunk.length
  } finally {
    clearInterval(timer)
  }
  const third = Math.ceil(samples.length / 3)
  const [first, last] = [samples.slice(0, third), samples.slice(-third)].map((part) =>
    Math.max(...part),
  )
  const seconds = (performance.now() - start) / 1000
  return { format, seconds, bytes, first: first ?? Number.NaN, last: last ?? Number.NaN }
}
