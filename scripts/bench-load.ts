/** Measures how fast objects are loaded, written and exported; see the help. */
import { spawnSync } from 'node:child_process'
import { createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type KeyedLoad, marksOf, printFigures } from './load/figures.ts'
import { FEW_FLIGHTS, FLIGHTS, measureFlights } from './load/flights.ts'
import type { LoadCost } from './load/load-cost.ts'
import { loadPostgresCeiling, postgresBytes } from './load/postgres-ceiling.ts'
import { addNewRows, loadSqliteCeiling } from './load/sqlite-ceiling.ts'
import { measureCommits, measureNewKeys } from './load/writes.ts'
import {
  chosenStores,
  FLAG,
  runScript,
  STORE_FLAGS,
  STORE_HELP,
  type StoreName,
  TEXT,
  wholeNumber,
} from './measure/command-line.ts'
import { judge, type Mark } from './measure/marks.ts'
import { DEFINITION, partLines } from './measure/parts.ts'
import { showProgress } from './measure/progress.ts'
import { runProgram } from './measure/server.ts'
import {
  define,
  measureImport,
  PART_TYPE,
  type Service,
  startService,
  THIS_CHECKOUT,
} from './measure/service.ts'
import { openStores, openWorkspace, requireDiskSpace, type Workspace } from './measure/workspace.ts'

const OBJECTS = 200_000
const OBJECTS_MIN = 10_000
/** Two stores, the ceiling and the file of rows. */
const BYTES_PER_OBJECT = 8000

const HELP = `Usage: npm run bench:load -- [options]

Imports objects of about 400 bytes into an empty store with \`oqs import\`, and compares this with a
ceiling: the same rows in the same table and indexes, written in key order with indexes that are built
once at the end; by prepared statements into SQLite, by COPY into PostgreSQL. sqlite-utils is measured
too if it is installed. Then measures batches of new objects with keys in no order, on SQLite
alternately with statements that insert the same rows, and commits of single objects by 1 and by 32
writers; two checkouts take turns. CPU and bytes are per object; CPU is that of the command and the
service together, without the PostgreSQL server; for new keys, that of the writer thread.

--transfer instead imports ${FLIGHTS.file} (${FLIGHTS.rows} rows) into SQLite and exports it, against a
walk, and for a slow reader while another client writes: about 10 minutes and 8 GB in TMPDIR.

Prints Markdown. Everything is removed afterwards. The exit status is 0, 1 when a mark is missed, or 2
when the run fails. A quick run judges nothing.

${STORE_HELP}
  --objects N       number of objects (${OBJECTS}; at least ${OBJECTS_MIN})
  --against PATH    another checkout, measured in the same run
  --transfer        import and export a file
  --quick           ${OBJECTS_MIN} objects, or ${FEW_FLIGHTS.file}
  --help            this text`

await runScript({
  name: 'bench:load',
  help: HELP,
  options: { ...STORE_FLAGS, objects: TEXT, against: TEXT, transfer: FLAG, quick: FLAG },
  async run({ against, transfer, quick, ...values }) {
    const usual = quick ? OBJECTS_MIN : OBJECTS
    const objects = wholeNumber('--objects', values.objects, { min: OBJECTS_MIN, usual })
    const marks: Mark[] = []
    for (const store of transfer ? [] : chosenStores(values)) {
      marks.push(...(await measureStore(store, objects, against)))
    }
    if (transfer) marks.push(...(await measureFlights(quick ? FEW_FLIGHTS : FLIGHTS)))
    return quick || judge(marks)
  },
})

async function measureStore(
  storeName: StoreName,
  objects: number,
  against: string | undefined,
): Promise<readonly Mark[]> {
  using workspace = openWorkspace()
  requireDiskSpace(workspace, 1e9 + BYTES_PER_OBJECT * objects)
  await using stores = await openStores(storeName, workspace)
  const file = join(workspace.folder, 'parts.ndjson')
  await pipeline(Readable.from(partLines(objects)), createWriteStream(file))
  await using services = new AsyncDisposableStack()
  const load = async (name: string, checkout: string, store: string) => {
    const service = services.use(await startService(workspace, { store, checkout }))
    return { name, service, ...(await measureLoad({ workspace, name, service, store, file })) }
  }

  const store = await stores.create('own')
  const path = sqlitePath(store)
  const own = await load('oqs import', THIS_CHECKOUT, store)
  // Before anything but the import has changed the store.
  const ceiling = await loadCeiling(workspace, store)
  // Right after the loads that it is compared with, because the speed of a machine changes.
  const utils = path === undefined ? undefined : await loadWithSqliteUtils(workspace, file)
  const addBare = path === undefined ? undefined : () => addNewRows(path, ceilingPath(workspace))
  const loaded = [{ ...own, addBare }]
  if (against !== undefined) {
    const other = await load('the other checkout', against, await stores.create('other'))
    // Bare statements know the layout of this checkout only.
    loaded.push({ ...other, addBare: undefined })
  }
  showProgress('new keys and single commits')
  const keyed: readonly (KeyedLoad & (typeof loaded)[number])[] =
    path === undefined ? loaded : await measureNewKeys(loaded, objects)
  const figures = { storeName, objects, ceiling, utils, loads: await measureCommits(keyed) }
  printFigures(figures)
  return marksOf(figures)
}

interface LoadSpec {
  readonly workspace: Workspace
  readonly name: string
  readonly service: Service
  readonly store: string
  readonly file: string
}

async function measureLoad({ workspace, name, service, store, file }: LoadSpec) {
  await define(service, DEFINITION)
  showProgress(`${name}: importing`)
  const report = await measureImport(workspace, service, [file, ...PART_TYPE])
  const { seconds, megabytes } = report
  const load: LoadCost = {
    seconds,
    cpuMicros: report.cpuMicros + report.command.cpuMicros,
    bytes: await storedBytes(store),
  }
  return { load, megabytes }
}

function ceilingPath({ folder }: Workspace): string {
  return join(folder, 'ceiling.db')
}

async function loadCeiling(workspace: Workspace, store: string): Promise<LoadCost> {
  showProgress('loading the ceiling')
  const path = sqlitePath(store)
  return path === undefined
    ? await loadPostgresCeiling(store, join(workspace.folder, 'rows.bin'))
    : loadSqliteCeiling(path, ceilingPath(workspace))
}

async function storedBytes(store: string): Promise<number> {
  const path = sqlitePath(store)
  return path === undefined ? await postgresBytes(store) : statSync(path).size
}

function sqlitePath(store: string): string | undefined {
  return /^sqlite:(.*)/.exec(store)?.[1]
}

/** Loads the same objects into one table with indexes and full text, if sqlite-utils is installed. */
async function loadWithSqliteUtils(
  workspace: Workspace,
  file: string,
): Promise<LoadCost | undefined> {
  if (spawnSync('sqlite-utils', ['--version']).status !== 0) return undefined
  const target = join(workspace.folder, 'utils.db')
  const indexed = ['name', 'category', 'revision', 'weight', 'changedAt', 'notes']
  const texts = ['partNumber', 'name', 'category', 'notes']
  let [seconds, cpuMicros] = [0, 0]
  for (const args of [
    ['insert', target, 'part', file, '--nl', '--pk', 'partNumber', '--batch-size', '10000'],
    ...indexed.map((column) => ['create-index', target, 'part', column]),
    ['enable-fts', target, 'part', ...texts, '--fts5'],
  ]) {
    const cost = await runProgram(workspace, { file: 'sqlite-utils', args })
    seconds += cost.seconds
    cpuMicros += cost.cpuMicros
  }
  return { seconds, cpuMicros, bytes: statSync(target).size }
}
