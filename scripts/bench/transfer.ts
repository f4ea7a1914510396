/** The import of a real file, and exports of it against a walk and for a slow reader. */
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Part } from '../measure/command.ts'
import { listPages, walkPages } from '../measure/pages.ts'
import { writeChanges } from '../measure/parts.ts'
import { type Cost, measureCost, privateMegabytes } from '../measure/processes.ts'
import { atMost, count, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'

const FILES: Readonly<Record<number, string>> = {
  3000000: 'flights-3m.parquet',
  200000: 'flights-200k.json',
}
const TYPE = ['--ontology', 'flights', '--type', 'flight']
const OBJECTS = '/ontologies/flights/objects/flight'
const WRITES = `/api/admin/v1${OBJECTS}`
const SLOW_READER_MS = 10_000
const SLOW_BYTES_PER_MS = 1000
const COMMAND_LIMIT_MB = 300

export const transfer: Part<{ readonly rows: number }> = {
  about: `Imports ${Object.values(FILES)[1]}, or a quick run ${Object.values(FILES)[0]}, into SQLite and exports it, against a
walk, and for a slow reader while another client writes. About 10 minutes and 8 GB.`,
  full: { rows: 3_000_000 },
  quick: { rows: 200_000 },
  stores: ['SQLite'],
  async run({ bench, numbers: { rows }, print }) {
    const file = FILES[rows]
    if (file === undefined) throw new Error(`--rows must be ${Object.keys(FILES).join(' or ')}.`)
    const service = await bench.startService()
    const path = new URL(`../../node_modules/vega-datasets/data/${file}`, import.meta.url)
    showProgress(`importing ${file}`)
    const imported = await bench.measureImport(service, [fileURLToPath(path), ...TYPE, '--infer'])
    showProgress('walking and exporting')
    const list = listPages({ snapshot: 'true' }, `/api/v1${OBJECTS}`)
    const walk = await measureCost(service.pid, () => walkPages(service, list))
    const exported = await measureCost(service.pid, () => drainExport(service))
    showProgress('reading an export slowly')
    const memoryBefore = privateMegabytes(service.pid)
    const slow = await measureCost(service.pid, () => readSlowly(service))
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
    const growth = slow.megabytes - memoryBefore
    print(
      `With an export read at 1 MB/s for 10 s, the service grew by ${growth} MB, and a write took ${count(slow.result)} ms.`,
    )
    return [
      atMost(COMMAND_LIMIT_MB, 'import --infer, private MB', imported.command.megabytes),
      atMost(1, 'export / walk, seconds', exported.seconds / walk.seconds),
    ]
  },
}

async function drainExport(service: Service): Promise<void> {
  let tail = Buffer.alloc(0)
  for await (const chunk of openExport(service)) tail = Buffer.concat([tail, chunk]).subarray(-100)
  if (!tail.includes('"$end"')) throw new Error('The export has no last line: it is incomplete.')
}

/** Reads a part of an export and writes meanwhile; returns the milliseconds of the write. */
async function readSlowly(service: Service): Promise<number> {
  const started = performance.now()
  let bytes = 0
  let writeMs = 0
  for await (const chunk of openExport(service)) {
    bytes += chunk.length
    const aheadMs = bytes / SLOW_BYTES_PER_MS - (performance.now() - started)
    if (aheadMs > 0) await sleep(aheadMs)
    if (writeMs === 0 && bytes > 2_000_000) {
      const before = performance.now()
      await writeChanges(service, WRITES, [{ delete: '0' }, { put: { row: 1 } }])
      writeMs = performance.now() - before
    }
    if (performance.now() - started > SLOW_READER_MS) break
  }
  return writeMs
}

/** Streams an export; Node's own client applies backpressure. */
async function* openExport({ url, headers }: Service): AsyncGenerator<Buffer> {
  const path = `${WRITES}/export?endLine=true`
  const { promise, resolve, reject } = Promise.withResolvers<AsyncIterable<Buffer>>()
  get({ host: url.hostname, port: url.port, path, headers }, resolve).on('error', reject)
  yield* await promise
}
