/** Imports into an empty store against a ceiling, batches of new keys, and commits of one object. */
import { spawnSync } from 'node:child_process'
import { createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Part, PartContext } from '../measure/command.ts'
import { DEFINITION, define, PART_TYPE, partLines } from '../measure/parts.ts'
import { atLeast, atMost, count, type Mark, showProgress, toMarkdown } from '../measure/report.ts'
import { THIS_CHECKOUT, type Workbench } from '../measure/workbench.ts'
import { loadPostgresCeiling, postgresBytes } from './postgres-ceiling.ts'
import { addNewRows, loadSqliteCeiling } from './sqlite-ceiling.ts'
import { type LoadedService, measureCommits, measureNewKeys } from './writes.ts'

/** What loading a number of objects cost. */
export interface LoadCost {
  readonly seconds: number
  /** Of all processes that take part; NaN if it cannot be measured. */
  readonly cpuMicros: number
  /** The size of the files. */
  readonly bytes: number
}

interface LoadNumbers {
  readonly objects: number
}

const LIMITS = {
  SQLite: { rate: 0.6, bytes: 1200 },
  PostgreSQL: { rate: 0.5, bytes: 1900 },
}
/**
 * Multiples of what the ceiling takes in the same run, because machines differ: 70 µs per imported
 * object, and 110 µs of the writer thread per new key, where the ceiling takes 28 µs.
 */
const CPU_LIMITS = { import: 70 / 28, newKey: 110 / 28 }

export const load: Part<LoadNumbers> = {
  about: `Imports objects into an empty store with oqs import, against a ceiling: the same rows in the same
table and indexes, written in key order, with indexes that are built once at the end; by prepared
statements into SQLite, by COPY into PostgreSQL. sqlite-utils is measured too if it is installed.
Then batches of new objects with keys in no order, on SQLite alternately with statements that insert
the same rows, and commits of single objects by 1 and by 32 writers; two checkouts take turns. CPU
and bytes are per object; CPU is that of the command and the service, without the PostgreSQL server;
for new keys, that of the writer thread.`,
  full: { objects: 200_000 },
  quick: { objects: 10_000 },
  least: { objects: 10_000 },
  // Two stores, the ceiling and the file of rows.
  bytesPerObject: 8000,
  run: measureLoads,
}

async function measureLoads(context: PartContext<LoadNumbers>): Promise<readonly Mark[]> {
  const { store: storeName, bench, texts, print } = context
  const { objects } = context.numbers
  const file = join(bench.folder, 'parts.ndjson')
  await pipeline(Readable.from(partLines(objects)), createWriteStream(file))
  const store = await bench.createStore('own')
  const path = sqlitePath(store)
  const own = await measureImport(bench, {
    name: 'oqs import',
    store,
    file,
    checkout: THIS_CHECKOUT,
  })
  // Before anything but the import has changed the store.
  showProgress('loading the ceiling')
  const copy = join(bench.folder, 'ceiling')
  const ceiling =
    path === undefined ? await loadPostgresCeiling(store, copy) : loadSqliteCeiling(path, copy)
  // Right after the loads that it is compared with, because the speed of a machine changes.
  const utils = path === undefined ? undefined : await loadWithSqliteUtils(bench, file)
  const loaded: (Awaited<ReturnType<typeof measureImport>> & LoadedService)[] = [
    { ...own, ...(path !== undefined && { addBare: () => addNewRows(path, copy) }) },
  ]
  if (texts['against'] !== undefined) {
    const other = { name: 'the other checkout', store: await bench.createStore('other') }
    // Bare statements know the layout of this checkout only.
    loaded.push(await measureImport(bench, { ...other, file, checkout: texts['against'] }))
  }
  showProgress('new keys and single commits')
  const newKeys = path === undefined ? undefined : await measureNewKeys(loaded, objects)
  const commits = await measureCommits(loaded)
  const row = (name: string, { seconds, cpuMicros, bytes }: LoadCost) => [
    name,
    seconds.toFixed(1),
    count(objects / seconds),
    Number.isNaN(cpuMicros) ? '-' : count(cpuMicros / objects, 1),
    count(bytes / objects),
    (ceiling.seconds / seconds).toFixed(2),
  ]
  print(`## ${storeName}, ${count(objects)} objects`)
  print(
    toMarkdown([
      ['Load', 'seconds', 'objects/s', 'CPU µs', 'bytes', 'rate / ceiling'],
      row('ceiling', ceiling),
      ...loaded.map(({ name, cost }) => row(name, cost)),
      ...(utils === undefined ? [] : [row('sqlite-utils', utils)]),
    ]),
  )
  const memory = loaded.map(({ name, megabytes }) => `${name} ${count(megabytes)} MB`)
  print(`Peak of the service's private memory during the import: ${memory.join(', ')}.`)
  const titles = ['Commits of single objects', 'writers', 'commits/s', 'CPU µs per commit']
  print(toMarkdown([titles, ...commits]))
  if (newKeys !== undefined) {
    const rows = newKeys.map(({ name, writer, bare }) => [name, count(writer), count(bare)])
    print(toMarkdown([['New keys in no order', 'writer CPU µs', 'bare SQLite'], ...rows]))
  }
  const limits = LIMITS[storeName]
  const ofCeiling = (micros = Number.NaN) => micros / (ceiling.cpuMicros / objects)
  const { cost } = own
  const sqliteMarks = [
    atMost(CPU_LIMITS.import, 'import / ceiling, CPU', ofCeiling(cost.cpuMicros / objects)),
    atMost(
      CPU_LIMITS.newKey,
      'writer of a new key / ceiling, CPU',
      ofCeiling(newKeys?.[0]?.writer),
    ),
    atLeast(1, 'import / sqlite-utils, rate', (utils?.seconds ?? Number.NaN) / cost.seconds),
  ]
  const marks = [
    atLeast(limits.rate, 'import / ceiling, rate', ceiling.seconds / cost.seconds),
    atMost(limits.bytes, 'bytes per object', cost.bytes / objects),
    ...(storeName === 'SQLite' ? sqliteMarks : []),
  ]
  return marks.map((mark) => ({ ...mark, name: `${storeName}: ${mark.name}` }))
}

interface LoadSpec {
  readonly name: string
  readonly store: string
  readonly checkout: string
  readonly file: string
}

async function measureImport(bench: Workbench, { name, store, checkout, file }: LoadSpec) {
  const service = await bench.startService({ store, checkout })
  await define(service, DEFINITION)
  showProgress(`${name}: importing`)
  const { seconds, megabytes, cpuMicros, command } = await bench.measureImport(service, [
    file,
    ...PART_TYPE,
  ])
  const path = sqlitePath(store)
  const bytes = path === undefined ? await postgresBytes(store) : statSync(path).size
  const cost: LoadCost = { seconds, cpuMicros: cpuMicros + command.cpuMicros, bytes }
  return { name, service, cost, megabytes }
}

function sqlitePath(store: string): string | undefined {
  return /^sqlite:(.*)/.exec(store)?.[1]
}

/** Loads the same objects into one table with indexes and full text, if sqlite-utils is installed. */
async function loadWithSqliteUtils(bench: Workbench, file: string): Promise<LoadCost | undefined> {
  if (spawnSync('sqlite-utils', ['--version']).status !== 0) return undefined
  const target = join(bench.folder, 'utils.db')
  const indexed = ['name', 'category', 'revision', 'weight', 'changedAt', 'notes']
  const texts = ['partNumber', 'name', 'category', 'notes']
  let [seconds, cpuMicros] = [0, 0]
  for (const args of [
    ['insert', target, 'part', file, '--nl', '--pk', 'partNumber', '--batch-size', '10000'],
    ...indexed.map((column) => ['create-index', target, 'part', column]),
    ['enable-fts', target, 'part', ...texts, '--fts5'],
  ]) {
    const cost = await bench.runProgram({ file: 'sqlite-utils', args })
    seconds += cost.seconds
    cpuMicros += cost.cpuMicros
  }
  return { seconds, cpuMicros, bytes: statSync(target).size }
}
