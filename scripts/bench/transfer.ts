/** The import of a real file, and an export of it against a walk. */
import { fileURLToPath } from 'node:url'
import type { Part } from '../measure/command.ts'
import { listPages, walkPages } from '../measure/pages.ts'
import { type Cost, measureCost } from '../measure/processes.ts'
import { atMost, count, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'

const FILES: Readonly<Record<number, string>> = {
  3000000: 'flights-3m.parquet',
  200000: 'flights-200k.json',
}
const TYPE = ['--ontology', 'flights', '--type', 'flight']
const OBJECTS = '/ontologies/flights/objects/flight'
const EXPORT = `/api/admin/v1${OBJECTS}/export?endLine=true`
const COMMAND_LIMIT_MB = 300

export const transfer: Part<{ readonly rows: number }> = {
  about: `Imports ${Object.values(FILES)[1]}, or a quick run ${Object.values(FILES)[0]}, into SQLite and exports it, against a
walk. About 10 minutes and 8 GB.`,
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
    const exported = await measureCost([service.pid], () => drainExport(service))
    const figures = ({ seconds, megabytes }: Pick<Cost, 'seconds' | 'megabytes'>) =>
      [seconds.toFixed(1), count(rows / seconds), count(megabytes)] as const
    print(
      toMarkdown([
        [`${count(rows)} objects`, 'seconds', 'objects/s', 'service MB', 'command MB'],
        [`import ${file} --infer`, ...figures(imported), count(imported.command.megabytes)],
        ['walk in pages of 1,000', ...figures(walk), '-'],
        ['export', ...figures(exported), '-'],
      ]),
    )
    return [
      atMost(COMMAND_LIMIT_MB, 'import --infer, private MB', imported.command.megabytes),
      atMost(1, 'export / walk, seconds', exported.seconds / walk.seconds),
    ]
  },
}

async function drainExport({ url, headers }: Service): Promise<void> {
  const { body } = await fetch(new URL(EXPORT, url), { headers })
  let tail = ''
  for await (const chunk of body ?? []) tail = Buffer.from(chunk.subarray(-100)).toString()
  if (!tail.includes('"$end"')) throw new Error('The export has no last line: it is incomplete.')
}
