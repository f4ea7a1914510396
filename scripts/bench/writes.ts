/** Writes into a loaded type: a batch of new keys, and commits of single objects. */
import { Connection } from '../measure/connection.ts'
import { makePart, PART_OBJECTS, writeChanges } from '../measure/parts.ts'
import { busiestThreadMicros, measureCost } from '../measure/process-stats.ts'
import { count } from '../measure/report.ts'
import { median } from '../measure/statistics.ts'
import type { Service } from '../measure/workbench.ts'

const NEW_OBJECTS = 10_000
const WRITERS = [1, 32]
const COMMITS = 2000
/** Services take turns, because the speed of a machine changes within seconds. */
const ROUNDS = 5

/** A service whose store is loaded. */
export interface LoadedService {
  readonly name: string
  readonly service: Service
  /** Writes the newest rows with bare statements, and returns the CPU microseconds per row. */
  readonly addBare?: () => number
}

/**
 * Writes batches of new keys that lie anywhere among the stored ones. Returns the CPU microseconds
 * per object of each service: medians.
 */
export async function measureNewKeys(loaded: readonly LoadedService[], objects: number) {
  const measured = loaded.map((one) => ({ one, writer: [] as number[], bare: [] as number[] }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { one, writer, bare } of measured) {
      writer.push(await addNewKeys(one.service, objects, round * NEW_OBJECTS))
      bare.push(one.addBare?.() ?? Number.NaN)
    }
  }
  return measured.map(({ one, writer, bare }) => ({
    name: one.name,
    writer: median(writer),
    bare: median(bare),
  }))
}

/**
 * Returns the CPU microseconds of the writer thread, which is the busiest one, per object. The
 * checkpoint that follows the response counts, because the next write waits for it.
 */
async function addNewKeys(service: Service, objects: number, first: number): Promise<number> {
  // A prime step visits the stored keys in no order; the ending makes each key a new one.
  const changes = Array.from({ length: NEW_OBJECTS }, (_, index) => {
    const part = makePart(((first + index) * 7_368_787) % objects, 0)
    return { put: { ...part, partNumber: `${part.partNumber}-${first + index}` } }
  })
  const write = async () => {
    await writeChanges(service, PART_OBJECTS, changes)
    await writeChanges(service, PART_OBJECTS, changes.slice(0, 1))
  }
  return (await busiestThreadMicros(service.pid, write)) / NEW_OBJECTS
}

/** Commits single objects with few and many writers. Returns the rows of a table. */
export async function measureCommits(loaded: readonly LoadedService[]) {
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
