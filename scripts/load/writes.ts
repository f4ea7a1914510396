/** Writes into a loaded type: a batch of new keys, and commits of single objects. */
import { Connection } from '../measure/connection.ts'
import { makePart } from '../measure/parts.ts'
import { busiestThreadMicros, measureCost } from '../measure/process-stats.ts'
import { PART_OBJECTS, type Service, writeChanges } from '../measure/service.ts'
import { median } from '../measure/statistics.ts'

const NEW_OBJECTS = 10_000
const WRITERS = [1, 32]
const COMMITS = 2000
/** Services take turns, because the speed of a machine changes within seconds. */
const ROUNDS = 5

/** A service whose store is loaded. */
export interface LoadedService {
  readonly service: Service
  /**
   * Writes the newest rows with bare statements, and returns the CPU microseconds per row; undefined
   * if there are none for the store.
   */
  readonly addBare: (() => number) | undefined
}

/** The CPU microseconds per new object whose key lies anywhere among the stored ones: medians. */
export interface NewKeyCost {
  readonly writer: number
  readonly bare: number | undefined
}

/** Writes batches of new keys. Adds the cost to each service. */
export async function measureNewKeys<T extends LoadedService>(
  loaded: readonly T[],
  objects: number,
): Promise<readonly (T & { readonly newKeys: NewKeyCost })[]> {
  const measured = loaded.map((one) => ({ one, writer: [] as number[], bare: [] as number[] }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { one, writer, bare } of measured) {
      writer.push(await addNewKeys(one.service, objects, round * NEW_OBJECTS))
      if (one.addBare !== undefined) bare.push(one.addBare())
    }
  }
  return measured.map(({ one, writer, bare }) => {
    const newKeys = { writer: median(writer), bare: bare.length > 0 ? median(bare) : undefined }
    return { ...one, newKeys }
  })
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

export interface CommitCost {
  readonly writers: number
  readonly perSecond: number
  readonly cpuMicros: number
}

/** Commits single objects with few and many writers. Adds the costs to each service. */
export async function measureCommits<T extends LoadedService>(
  loaded: readonly T[],
): Promise<readonly (T & { readonly commits: readonly CommitCost[] })[]> {
  const measured = loaded.map((one) => ({ ...one, commits: [] as CommitCost[] }))
  for (const writers of WRITERS) {
    const turns = measured.map((one) => ({ ...one, seconds: 0, cpuMicros: 0 }))
    for (const { service } of turns) await updateParts(service, writers, COMMITS / 10)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const turn of turns) {
        const update = () => updateParts(turn.service, writers, COMMITS / ROUNDS)
        const { seconds, cpuMicros } = await measureCost(turn.service.pid, update)
        turn.seconds += seconds
        turn.cpuMicros += cpuMicros
      }
    }
    for (const { commits, seconds, cpuMicros } of turns) {
      commits.push({ writers, perSecond: COMMITS / seconds, cpuMicros: cpuMicros / COMMITS })
    }
  }
  return measured
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
