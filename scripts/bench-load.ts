/** Measures how fast objects are loaded; see the help. */
import { createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { measureCommits } from './load/commits.ts'
import { measureNewKeys } from './load/new-keys.ts'
import { loadPostgresReference, postgresBytes } from './load/postgres-reference.ts'
import { loadReference } from './load/reference.ts'
import { LOAD_HEADER, type LoadReport, loadRow } from './load/report.ts'
import { loadWithSqliteUtils } from './load/sqlite-utils.ts'
import {
  chosenStores,
  runScript,
  STORE_FLAGS,
  STORE_HELP,
  type StoreName,
  TEXT,
  wholeNumber,
} from './measure/command-line.ts'
import { judge, type Mark } from './measure/marks.ts'
import { DEFINITION } from './measure/parts.ts'
import { print, showProgress } from './measure/progress.ts'
import {
  define,
  measureImport,
  PART_TYPE,
  partLines,
  startService,
  THIS_CHECKOUT,
} from './measure/service.ts'
import { count, toMarkdown } from './measure/table.ts'
import { openStores, openWorkspace, requireDiskSpace, type Workspace } from './measure/workspace.ts'

const OBJECTS = 200_000
const OBJECTS_MIN = 10_000
/** Two stores, the reference and the file of rows. */
const BYTES_PER_OBJECT = 8000
const SQLITE = 'sqlite:'

const HELP = `Usage: npm run bench:load -- [options]

Imports objects of about 400 bytes into an empty store with \`oqs import\`, and compares this with a
ceiling: the same rows in the same table and indexes, written in key order with indexes that are built
once at the end; by prepared statements into SQLite, by COPY into PostgreSQL. sqlite-utils is measured
too if it is installed. Then measures a batch of new objects with keys in no order, and commits of
single objects by 1 and by 32 writers. CPU and bytes are per object; CPU is that of the command and
the service together, without the PostgreSQL server. Prints Markdown.

Everything is removed afterwards. The exit status is 0, 1 when a mark is missed, or 2 when the run
fails.

${STORE_HELP}
  --objects N       number of objects (${OBJECTS}; at least ${OBJECTS_MIN})
  --against PATH    another checkout, measured in the same run
  --help            this text`

interface Subject {
  readonly name: string
  readonly checkout: string
}

interface MeasuredLoad {
  readonly name: string
  readonly load: LoadReport
  readonly megabytes: number
  readonly newKeyMicros: number
  readonly commits: readonly (readonly string[])[]
}

await runScript({
  name: 'bench:load',
  help: HELP,
  options: { ...STORE_FLAGS, objects: TEXT, against: TEXT },
  async run({ objects: text, against, ...flags }) {
    const objects = wholeNumber('--objects', text, { min: OBJECTS_MIN, usual: OBJECTS })
    const others = against === undefined ? [] : [{ name: 'the other checkout', checkout: against }]
    const results: boolean[] = []
    for (const store of chosenStores(flags)) {
      print(`\n## ${store}, ${count(objects)} objects\n`)
      results.push(await measureStore(store, objects, others))
    }
    return results.every(Boolean)
  },
})

async function measureStore(
  storeName: StoreName,
  objects: number,
  others: readonly Subject[],
): Promise<boolean> {
  using workspace = openWorkspace()
  requireDiskSpace(workspace, 1e9 + BYTES_PER_OBJECT * objects)
  await using stores = await openStores(storeName, workspace)
  const file = join(workspace.folder, 'parts.ndjson')
  await pipeline(Readable.from(partLines(objects)), createWriteStream(file))
  const input = { file, objects }

  const store = await stores.create('own')
  const subject = { name: 'oqs import', checkout: THIS_CHECKOUT }
  const { ceiling, ...own } = await measureLoad(workspace, { ...input, ...subject, store }, () =>
    loadCeiling(workspace, store),
  )
  const loads: MeasuredLoad[] = [own]
  for (const other of others) {
    const target = { ...input, ...other, store: await stores.create('other') }
    loads.push(await measureLoad(workspace, target, async () => ceiling))
  }
  const utils =
    storeName === 'SQLite'
      ? loadWithSqliteUtils(file, join(workspace.folder, 'utils.db'))
      : undefined
  print(
    toMarkdown([
      LOAD_HEADER,
      loadRow('ceiling', objects, ceiling, ceiling),
      ...loads.map(({ name, load }) => loadRow(name, objects, load, ceiling)),
      ...(utils === undefined ? [] : [loadRow('sqlite-utils', objects, utils, ceiling)]),
    ]),
  )
  const memory = loads.map(({ name, megabytes }) => `${name} ${count(megabytes)} MB`)
  print(`\nPeak of the service's private memory during the import: ${memory.join(', ')}.`)
  print(
    `\n${toMarkdown([
      ['Commits of single objects', 'writers', 'commits/s', 'CPU µs per commit'],
      ...loads.flatMap(({ name, commits }) => commits.map((row) => [name, ...row])),
    ])}`,
  )
  return judge(marksOf(storeName, objects, { own, ceiling, utils }))
}

interface LoadTarget extends Subject {
  readonly store: string
  readonly file: string
  readonly objects: number
}

/** Measures the ceiling before anything but the import has changed the store. */
async function measureLoad(
  workspace: Workspace,
  { name, checkout, store, file, objects }: LoadTarget,
  measureCeiling: () => Promise<LoadReport>,
): Promise<MeasuredLoad & { readonly ceiling: LoadReport }> {
  await using service = await startService(workspace, { store, checkout })
  await define(service, DEFINITION)
  showProgress(`${name}: importing`)
  const report = await measureImport(workspace, service, [file, ...PART_TYPE])
  const { seconds, serviceMegabytes: megabytes } = report
  const cpuMicros =
    report.cpuMicros === undefined || report.commandCpuMicros === undefined
      ? undefined
      : report.cpuMicros + report.commandCpuMicros
  const load = { seconds, cpuMicros, bytes: await bytesOf(store) }
  showProgress('loading the ceiling')
  const ceiling = await measureCeiling()
  showProgress(`${name}: new keys and single commits`)
  const newKeyMicros = await measureNewKeys(service, objects)
  const commits = await measureCommits(service)
  return { name, load, megabytes, newKeyMicros, commits, ceiling }
}

async function loadCeiling({ folder }: Workspace, store: string): Promise<LoadReport> {
  const path = sqlitePath(store)
  return path === undefined
    ? loadPostgresReference(store, join(folder, 'rows.bin'))
    : loadReference(path, join(folder, 'bare.db'))
}

async function bytesOf(store: string): Promise<number> {
  const path = sqlitePath(store)
  return path === undefined ? postgresBytes(store) : statSync(path).size
}

function sqlitePath(store: string): string | undefined {
  return store.startsWith(SQLITE) ? store.slice(SQLITE.length) : undefined
}

/**
 * The limits of CPU time are multiples of what the ceiling takes in the same run, because machines
 * differ: 70 µs per imported object and 110 µs per new key where the ceiling takes 28 µs.
 */
function marksOf(
  store: StoreName,
  objects: number,
  {
    own,
    ceiling,
    utils,
  }: { own: MeasuredLoad; ceiling: LoadReport; utils: LoadReport | undefined },
): readonly Mark[] {
  const { load } = own
  const rate = ceiling.seconds / load.seconds
  const bytes = load.bytes / objects
  if (store === 'PostgreSQL') {
    return [
      { name: 'import / ceiling, rate', value: rate, bound: '≥', limit: 0.5 },
      { name: 'bytes per object', value: bytes, bound: '≤', limit: 1900 },
    ]
  }
  const cpu = (micros: number | undefined) =>
    micros === undefined || ceiling.cpuMicros === undefined
      ? undefined
      : micros / (ceiling.cpuMicros / objects)
  const perObject = load.cpuMicros === undefined ? undefined : load.cpuMicros / objects
  return [
    { name: 'import / ceiling, rate', value: rate, bound: '≥', limit: 0.6 },
    { name: 'import / ceiling, CPU', value: cpu(perObject), bound: '≤', limit: 70 / 28 },
    { name: 'new key / ceiling, CPU', value: cpu(own.newKeyMicros), bound: '≤', limit: 110 / 28 },
    { name: 'bytes per object', value: bytes, bound: '≤', limit: 1200 },
    ...(utils === undefined
      ? []
      : [
          {
            name: 'import / sqlite-utils, rate',
            value: utils.seconds / load.seconds,
            bound: '≥' as const,
            limit: 1,
          },
        ]),
  ]
}
