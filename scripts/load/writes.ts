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
  /** Writes the newest rows with bare statements, and returns the CPU microseconds per row. */
  readonly addBare: () => number
}

/** The CPU microseconds per new object whose key lies anywhere among the stored ones: medians. */
export interface NewKeyCost {
  readonly writer: number
  readonly bare: number
}

/** Writes batches of new keys. Returns the cost of each service. */
export async function measureNewKeys(
  loaded: readonly LoadedService[],
  objects: number,
): Promise<readonly NewKeyCost[]> {
  const costs = loaded.map(() => ({ writer: [] as number[], bare: [] as number[] }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { service, addBare }] of loaded.entries()) {
      costs[index]?.writer.push(await addNewKeys(service, objects, round * NEW_OBJECTS))
      costs[index]?.bare.push(addBare())
    }
  }
  return costs.map(({ writer, bare }) => ({ writer: median(writer), bare: median(bare) }))
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

/** Commits single objects with few and many writers. Returns the costs of each service. */
export async function measureCommits(
  loaded: readonly LoadedService[],
): Promise<readonly (readonly CommitCost[])[]> {
  const costs: CommitCost[][] = loaded.map(() => [])
  for (const writers of WRITERS) {
    const totals = loaded.map(() => ({ seconds: 0, cpuMicros: 0 }))
    for (const { service } of loaded) await updateParts(service, writers, COMMITS / 10)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { service }] of loaded.entries()) {
        const update = () => updateParts(service, writers, COMMITS / ROUNDS)
        const { seconds, cpuMicros } = await measureCost(service.pid, update)
        const total = totals[index] ?? { seconds: 0, cpuMicros: 0 }
        total.seconds += seconds
        total.cpuMicros += cpuMicros
      }
    }
    for (const [index, { seconds, cpuMicros }] of totals.entries()) {
      const perSecond = COMMITS / seconds
      costs[index]?.push({ writers, perSecond, cpuMicros: cpuMicros / COMMITS })
    }
  }
  return costs
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
