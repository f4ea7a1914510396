/** Imports into an empty store against a plain table, batches of new keys, and commits of one object. */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Part, PartContext } from '../measure/command.ts'
import { Connection } from '../measure/connection.ts'
import {
  DEFINITION,
  define,
  makePart,
  PART_OBJECTS,
  PART_TYPE,
  type PartProperties,
  partLines,
  writeChanges,
} from '../measure/parts.ts'
import { measureCost } from '../measure/processes.ts'
import {
  atLeast,
  atMost,
  count,
  type Mark,
  median,
  showProgress,
  toMarkdown,
} from '../measure/report.ts'
import { type Service, THIS_CHECKOUT, type Workbench } from '../measure/workbench.ts'
import {
  addParts,
  type LoadCost,
  loadPlainPostgres,
  loadPlainSqlite,
  openPlainSqlite,
  storedBytes,
} from './plain-table.ts'

const NEW_OBJECTS = 10_000
const WRITERS = [1, 32]
const COMMITS = 2000
/** Services take turns, because the speed of a machine changes within seconds. */
const ROUNDS = 5

/** The plain table needs neither versions nor checks, and nothing is parsed or sent. */
const LIMITS = {
  SQLite: { rate: 0.3, bytes: 1250, cpu: 8, newKey: 1.5 },
  PostgreSQL: { rate: 0.12, bytes: 2300, cpu: Number.NaN, newKey: Number.NaN },
}

interface LoadedService {
  readonly name: string
  readonly service: Service
  readonly cost: LoadCost
  readonly megabytes: number
}

export const load: Part<{ readonly objects: number }> = {
  about: `Imports objects into an empty store with oqs import, against the same objects in one plain table with
the same indexes, written in key order, with indexes that are built at the end: by prepared statements
into SQLite, by COPY into PostgreSQL. Then batches of new objects with keys in no order, on SQLite
alternately with the same rows in the plain table, and commits of single objects by 1 and by 32
writers; two checkouts take turns. CPU and bytes are per object; CPU is that of the command and the
service, without the PostgreSQL server; for new keys, that of the writer thread.`,
  full: { objects: 200_000 },
  quick: { objects: 10_000 },
  least: { objects: 10_000 },
  async run(context) {
    const { store, bench, texts, print, numbers } = context
    const { objects } = numbers
    const file = join(bench.folder, 'parts.ndjson')
    await pipeline(Readable.from(partLines(objects)), createWriteStream(file))
    const own = await measureImport(bench, 'oqs import', THIS_CHECKOUT, file)
    // Right after the load that it is compared with, because the speed of a machine changes.
    showProgress('loading the plain table')
    const plainFile = join(bench.folder, 'plain.db')
    const plain =
      store === 'SQLite'
        ? loadPlainSqlite(plainFile, objects)
        : await loadPlainPostgres(await bench.createStore('plain'), objects)
    const loaded = [own]
    if (texts['against'] !== undefined) {
      loaded.push(await measureImport(bench, 'the other checkout', texts['against'], file))
    }
    const row = (name: string, { seconds, cpuMicros, bytes }: LoadCost) => [
      name,
      seconds.toFixed(1),
      count(objects / seconds),
      Number.isNaN(cpuMicros) ? '-' : count(cpuMicros / objects, 1),
      count(bytes / objects),
      (plain.seconds / seconds).toFixed(2),
    ]
    print(`## ${store}, ${count(objects)} objects`)
    print(
      toMarkdown([
        ['Load', 'seconds', 'objects/s', 'CPU µs', 'bytes', 'rate / plain table'],
        row('plain table', plain),
        ...loaded.map(({ name, cost }) => row(name, cost)),
      ]),
    )
    const memory = loaded.map(({ name, megabytes }) => `${name} ${count(megabytes)} MB`)
    print(`Peak of the service's private memory during the import: ${memory.join(', ')}.`)
    showProgress('new keys and single commits')
    const newKeys =
      store === 'SQLite' ? await measureNewKeys(context, loaded, plainFile) : Number.NaN
    const titles = ['Commits of single objects', 'writers', 'commits/s', 'CPU µs per commit']
    print(toMarkdown([titles, ...(await measureCommits(loaded))]))
    const limits = LIMITS[store]
    const { cost } = own
    const marks = [
      atLeast(limits.rate, 'import / plain table, rate', plain.seconds / cost.seconds),
      atMost(limits.bytes, 'bytes per object', cost.bytes / objects),
      atMost(limits.cpu, 'import / plain table, CPU', cost.cpuMicros / plain.cpuMicros),
      atMost(limits.newKey, 'writer of a new key / plain table, CPU', newKeys),
    ].filter(({ limit }) => !Number.isNaN(limit))
    return marks.map((mark): Mark => ({ ...mark, name: `${store}: ${mark.name}` }))
  },
}

async function measureImport(
  bench: Workbench,
  name: string,
  checkout: string,
  file: string,
): Promise<LoadedService> {
  const store = await bench.createStore('loaded')
  const service = await bench.startService({ store, checkout })
  await define(service, DEFINITION)
  showProgress(`${name}: importing`)
  const before = await storedBytes(store)
  const cost = await bench.measureImport(service, [file, ...PART_TYPE])
  const { seconds, megabytes } = cost
  const cpuMicros = cost.cpuMicros + cost.command.cpuMicros
  const bytes = (await storedBytes(store)) - before
  return { name, service, cost: { seconds, cpuMicros, bytes }, megabytes }
}

/**
 * Writes batches of new keys that lie anywhere among the stored ones, prints the CPU microseconds per
 * object, and returns those of the first service divided by those of the plain table.
 */
async function measureNewKeys(
  { numbers, print }: PartContext<{ readonly objects: number }>,
  loaded: readonly LoadedService[],
  plainFile: string,
): Promise<number> {
  using db = openPlainSqlite(plainFile)
  const plain: number[] = []
  const measured = loaded.map(({ name, service }) => ({ name, service, micros: [] as number[] }))
  for (let round = 0; round < ROUNDS; round += 1) {
    const parts = newParts(numbers.objects, round * NEW_OBJECTS)
    for (const { service, micros } of measured) micros.push(await addNewKeys(service, parts))
    plain.push(addParts(db, parts).cpuMicros / NEW_OBJECTS)
  }
  const rows = [{ name: 'plain table', micros: plain }, ...measured].map(({ name, micros }) => [
    name,
    count(median(micros)),
  ])
  print(toMarkdown([['New keys in no order', 'writer CPU µs'], ...rows]))
  return median(measured[0]?.micros ?? []) / median(plain)
}

/** A prime step visits the stored keys in no order; the ending makes each key a new one. */
function newParts(objects: number, first: number): readonly PartProperties[] {
  return Array.from({ length: NEW_OBJECTS }, (_, index) => {
    const part = makePart(((first + index) * 7_368_787) % objects, 0)
    return { ...part, partNumber: `${part.partNumber}-${first + index}` }
  })
}

/**
 * Returns the CPU microseconds of the writer thread, which is the busiest one, per object. The
 * checkpoint that follows the response counts, because the next write waits for it.
 */
async function addNewKeys(service: Service, parts: readonly PartProperties[]): Promise<number> {
  const changes = parts.map((part) => ({ put: part }))
  const { busiestMicros } = await measureCost(service.pid, async () => {
    await writeChanges(service, PART_OBJECTS, changes)
    await writeChanges(service, PART_OBJECTS, changes.slice(0, 1))
  })
  return busiestMicros / parts.length
}

/** Commits single objects with few and many writers. Returns the rows of a table. */
async function measureCommits(loaded: readonly LoadedService[]): Promise<string[][]> {
  const rows: string[][] = []
  for (const writers of WRITERS) {
    const turns = loaded.map((one) => ({ ...one, seconds: 0, cpuMicros: 0 }))
    for (const { service } of turns) await updateParts(service, writers, COMMITS / 10)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const turn of turns) {
        const update = () => updateParts(turn.service, writers, COMMITS / ROUNDS)
        const { seconds, cpuMicros } = await measureCost(turn.service.pid, update)
        turn.seconds += seconds
        turn.cpuMicros += cpuMicros
      }
    }
    for (const { name, seconds, cpuMicros } of turns) {
      rows.push([name, String(writers), count(COMMITS / seconds), count(cpuMicros / COMMITS)])
    }
  }
  return rows
}

/** Each writer updates objects of its own, spread over the keys, one after the other. */
async function updateParts(service: Service, writers: number, commits: number): Promise<void> {
  let next = 0
  const write = async () => {
    using connection = await Connection.open(service)
    while (next < commits) {
      next += 1
      const part = makePart((next * 7919) % 10_000, next)
      const path = `${PART_OBJECTS}/${part.partNumber}`
      await connection.drain({ method: 'PUT', path, body: JSON.stringify(part) })
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
}
