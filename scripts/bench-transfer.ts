/** Measures the import of a large file, and exports against walks; see the help. */
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { FLAG, runScript } from './measure/command-line.ts'
import { judge, type Mark } from './measure/marks.ts'
import { ownMegabytes, watchMemory } from './measure/process-stats.ts'
import { print, showProgress } from './measure/progress.ts'
import {
  type ImportReport,
  measureImport,
  type Service,
  startService,
  writeChanges,
} from './measure/service.ts'
import { count, type Table, toMarkdown } from './measure/table.ts'
import { listPages, walkPages } from './measure/walk.ts'
import { openWorkspace } from './measure/workspace.ts'

const FULL = { file: 'flights-3m.parquet', rows: 3_000_000 }
const QUICK = { file: 'flights-200k.json', rows: 200_000 }
type TransferOptions = typeof FULL

const HELP = `Usage: npm run bench:transfer -- [options]

Imports ${FULL.file} (${FULL.rows} rows) into SQLite and exports it, against a walk in pages of 1,000.
Also measures a slow reader of the export, and a write while it reads. Memory is private memory,
without mapped files (Linux only). Prints Markdown.

A full run takes about 10 minutes and 8 GB in TMPDIR. Everything is removed afterwards. The exit
status is 0, 1 when a mark is missed, or 2 when the run fails. A quick run judges only memory.

  --quick           ${QUICK.file}: about a minute, 1 GB
  --help            this text`

const FLIGHTS = ['--ontology', 'flights', '--type', 'flight']
const FLIGHTS_LIST = '/api/v1/ontologies/flights/objects/flight'
const FLIGHTS_ADMIN = '/api/admin/v1/ontologies/flights/objects/flight'
const SLOW_READER_MS = 10_000
const SLOW_BYTES_PER_MS = 1000

interface TransferReport {
  readonly table: Table
  readonly marks: readonly Mark[]
}

const HEADER = ['Import', 'objects', 'seconds', 'objects/s', 'command MB', 'service MB']

async function measureFlights(
  options: TransferOptions,
): Promise<TransferReport & { readonly note: string }> {
  using workspace = openWorkspace()
  const store = `sqlite:${join(workspace.folder, 'flights.db')}`
  await using service = await startService(workspace, { store })
  const data = new URL(`../node_modules/vega-datasets/data/${options.file}`, import.meta.url)
  showProgress(`importing ${options.file}`)
  const args = [fileURLToPath(data), ...FLIGHTS, '--infer']
  const imported = await measureImport(workspace, service, args)
  showProgress('walking and exporting')
  const list = listPages({ snapshot: 'true' }, FLIGHTS_LIST)
  const walk = await timed(service, () => walkPages(service, list))
  const exported = await timed(service, () => drainExport(service))
  showProgress('reading an export slowly')
  const slow = await readSlowly(service)
  const figures = ({ seconds, megabytes }: Timing) => [
    count(options.rows),
    seconds.toFixed(1),
    count(options.rows / seconds),
    '-',
    String(megabytes),
  ]
  return {
    table: [
      HEADER,
      importRow(`oqs import ${options.file} --infer`, options.rows, imported),
      ['walk in pages of 1,000', ...figures(walk)],
      ['export', ...figures(exported)],
    ],
    note: `With an export read at 1 MB/s for 10 s, the service grew by ${slow.grownMegabytes} MB, and a write took ${slow.writeMs} ms.`,
    marks: [
      memoryMark('oqs import --infer', imported),
      {
        name: 'export / walk, seconds',
        value: exported.seconds / walk.seconds,
        bound: '≤',
        limit: 1,
      },
    ],
  }
}

function importRow(name: string, objects: number, report: ImportReport): readonly string[] {
  const { seconds, commandMegabytes, serviceMegabytes } = report
  const memory = [String(commandMegabytes), String(serviceMegabytes)]
  return [name, count(objects), seconds.toFixed(1), count(objects / seconds), ...memory]
}

function memoryMark(name: string, { commandMegabytes }: ImportReport): Mark {
  return { name: `${name}, private MB`, value: commandMegabytes, bound: '≤', limit: 300 }
}

interface Timing {
  readonly seconds: number
  /** The peak of the service's private memory. */
  readonly megabytes: number
}

async function timed(service: Service, work: () => Promise<unknown>): Promise<Timing> {
  using watch = watchMemory(service.pid)
  const started = performance.now()
  await work()
  return { seconds: (performance.now() - started) / 1000, megabytes: watch.end() }
}

async function drainExport(service: Service): Promise<void> {
  let tail = Buffer.alloc(0)
  for await (const chunk of openExport(service)) tail = Buffer.concat([tail, chunk]).subarray(-100)
  if (!tail.includes('"$end"'))
    throw new Error('The export is incomplete: its last line is missing.')
}

async function readSlowly(service: Service) {
  const before = ownMegabytes(service.pid) ?? 0
  using watch = watchMemory(service.pid)
  const started = performance.now()
  let bytes = 0
  let writeMs = 0
  for await (const chunk of openExport(service)) {
    bytes += chunk.length
    const aheadMs = bytes / SLOW_BYTES_PER_MS - (performance.now() - started)
    if (aheadMs > 0) await sleep(aheadMs)
    if (writeMs === 0 && bytes > 2_000_000) writeMs = await writeOneObject(service)
    if (performance.now() - started > SLOW_READER_MS) break
  }
  return { grownMegabytes: watch.end() - before, writeMs }
}

async function writeOneObject(service: Service): Promise<number> {
  const started = performance.now()
  await writeChanges(service, FLIGHTS_ADMIN, [{ delete: '0' }, { put: { row: 1 } }])
  return Math.round(performance.now() - started)
}

/** Streams an export; Node's own client applies backpressure. */
async function* openExport({ url, headers }: Service): AsyncGenerator<Buffer> {
  const path = `${FLIGHTS_ADMIN}/export`
  const { promise, resolve, reject } = Promise.withResolvers<AsyncIterable<Buffer>>()
  get({ host: url.hostname, port: url.port, path, headers }, resolve).on('error', reject)
  yield* await promise
}

await runScript({
  name: 'bench:transfer',
  help: HELP,
  options: { quick: FLAG },
  async run({ quick }) {
    const size = quick ? QUICK : FULL
    const { table, note, marks } = await measureFlights(size)
    print(`${toMarkdown(table)}\n\n${note}`)
    return judge(quick ? marks.filter(({ name }) => name.includes('MB')) : marks)
  },
})
