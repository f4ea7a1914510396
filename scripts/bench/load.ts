/** Imports into an empty store against a plain table, and batches of new keys. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Part } from '../measure/command.ts'
import {
  DEFINITION,
  makePart,
  PART_OBJECTS,
  PART_TYPE,
  type PartProperties,
  partLines,
  writeChanges,
} from '../measure/parts.ts'
import { type Cost, measureCost } from '../measure/processes.ts'
import { atMost, count, median, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'
import { columnBytes } from './building.ts'
import { loadTable, measureImport } from './measure-import.ts'
import { addParts, loadPlainTable, openPlainSqlite } from './plain-table.ts'

/** Services take turns, because the speed of a machine changes within seconds. */
const ROUNDS = 5
const PLAIN = 'plain table'

/**
 * Ratios to the plain table, which needs neither versions nor checks, and for which nothing is parsed
 * or sent. A healthy run stays a tenth below them; a regression of a fifth misses them.
 */
const LIMITS = {
  SQLite: { cpu: 4, bytes: 1.42, newKeys: 1.15 },
  PostgreSQL: { cpu: 2.65, bytes: 2.2, newKeys: Number.NaN },
}

type Parts = readonly PartProperties[]

/** A service or the plain table, and the processes whose CPU time counts. */
interface WriteTarget {
  readonly name: string
  readonly pids: readonly number[]
  write(parts: Parts): Promise<void>
}

export const load: Part<{ readonly objects: number }> = {
  about: `Imports objects into an empty store with oqs import, against the same objects in one plain table with
the same indexes, written in key order, with indexes that are built at the end: by prepared statements
into SQLite, by COPY into PostgreSQL. Then batches of new objects with keys in no order, on SQLite
alternately with the same rows in the plain table; two checkouts take turns. CPU and bytes are per object. CPU is that of the command, of the
service, and of a PostgreSQL server that the run has started.`,
  full: { objects: 200_000 },
  quick: { objects: 10_000 },
  async run({ store, bench, texts: { against }, print, numbers: { objects } }) {
    const file = join(bench.folder, 'parts.ndjson')
    await writeFile(file, partLines(objects))
    const source = { file, definition: DEFINITION, type: PART_TYPE }
    const own = await measureImport(bench, source)
    // Right after the load that it is compared with, because the speed of a machine changes.
    showProgress('loading the plain table')
    const plainStore = await bench.createStore('plain')
    const cost = await loadPlainTable(plainStore, objects, bench.databasePid)
    const plain = { name: PLAIN, ...cost }
    const loaded = [own]
    if (against !== undefined) {
      const other = { ...source, name: 'the other checkout', checkout: against }
      loaded.push(await measureImport(bench, other))
    }
    print(`## ${store}, ${count(objects)} objects`)
    print(toMarkdown(loadTable(objects, [plain, ...loaded])))

    // A build is no part of what a commit costs.
    for (const { service } of loaded) await columnBytes(service)
    showProgress('new keys')
    const batches = loaded.map(({ name, service }): WriteTarget => {
      const pids = [service.pid, bench.databasePid ?? 0]
      return { name, pids, write: (parts) => writeBatch(service, parts) }
    })
    using db = store === 'SQLite' ? openPlainSqlite(plainStore) : undefined
    if (db) {
      const write = async (parts: Parts) => addParts(db, parts)
      batches.push({ name: PLAIN, pids: [process.pid], write })
    }
    const newKeys = await measureWrites(batches, 10_000, (n) => newPart(n, objects))
    for (const { service } of loaded) await columnBytes(service)
    const rows = newKeys.map(({ name, seconds, cpuMicros }) => [
      name,
      count(1 / seconds),
      count(cpuMicros),
    ])
    print(toMarkdown([['New keys in no order', 'objects/s', 'CPU µs'], ...rows]))
    const limits = LIMITS[store]
    const [ownKeys = 0, plainKeys = 0] = [0, -1].map((at) => newKeys.at(at)?.cpuMicros ?? 0)
    return [
      atMost(limits.cpu, `${store}: import / plain table, CPU`, own.cpuMicros / plain.cpuMicros),
      atMost(limits.bytes, `${store}: import / plain table, bytes`, own.bytes / plain.bytes),
      atMost(limits.newKeys, `${store}: new keys / plain table, CPU`, ownKeys / plainKeys),
    ].filter(({ limit }) => !Number.isNaN(limit))
  },
}

/** Writes so many parts to each target in turn. Returns the cost of each per part. */
async function measureWrites(
  targets: readonly WriteTarget[],
  size: number,
  partOf: (n: number) => PartProperties,
) {
  const measured = targets.map(({ name }) => ({ name, costs: [] as Cost[] }))
  for (let round = 0; round < ROUNDS; round += 1) {
    const parts = Array.from({ length: size }, (_, n) => partOf(round * size + n))
    for (const [at, { pids, write }] of targets.entries()) {
      measured[at]?.costs.push(await measureCost(pids, () => write(parts)))
    }
  }
  return measured.map(({ name, costs }) => ({
    name,
    seconds: median(costs.map(({ seconds }) => seconds)) / size,
    cpuMicros: median(costs.map(({ cpuMicros }) => cpuMicros)) / size,
  }))
}

/** A prime step visits the stored keys in no order; the ending makes each key a new one. */
function newPart(n: number, objects: number): PartProperties {
  const part = makePart((n * 7_368_787) % objects, 0)
  return { ...part, partNumber: `${part.partNumber}-${n}` }
}

/** The checkpoint that follows the response counts, because the next write waits for it. */
async function writeBatch(service: Service, parts: Parts): Promise<void> {
  const changes = parts.map((part) => ({ put: part }))
  await writeChanges(service, PART_OBJECTS, changes)
  await writeChanges(service, PART_OBJECTS, changes.slice(0, 1))
}
