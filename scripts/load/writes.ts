/** Writes into a loaded type: a batch of new keys, and commits of single objects. */
import { Connection } from '../measure/connection.ts'
import { makePart } from '../measure/parts.ts'
import { busiestThreadMicros, measureCost } from '../measure/process-stats.ts'
import { PART_OBJECTS, type Service, writeChanges } from '../measure/service.ts'
import { median } from '../measure/statistics.ts'
import { count } from '../measure/table.ts'

const NEW_OBJECTS = 10_000
/** The speed of a machine may change from one batch to the next. */
const NEW_BATCHES = 5
const WRITERS = [1, 32]
const COMMITS = 2000

/** The CPU microseconds per new object whose key lies anywhere among the stored ones. */
export interface NewKeyCost {
  readonly writer: number
  /** Of statements that insert the same rows. */
  readonly bare: number
}

/** Writes batches of new keys, each to the service and then by `addBare`, and returns medians. */
export async function measureNewKeys(
  service: Service,
  objects: number,
  addBare: () => number,
): Promise<NewKeyCost> {
  const costs: NewKeyCost[] = []
  for (let batch = 0; batch < NEW_BATCHES; batch += 1) {
    const writer = await addNewKeys(service, objects, batch * NEW_OBJECTS)
    costs.push({ writer, bare: addBare() })
  }
  return {
    writer: median(costs.map(({ writer }) => writer)),
    bare: median(costs.map(({ bare }) => bare)),
  }
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

/** Returns rows of a table: writers, commits per second, CPU microseconds per commit. */
export async function measureCommits(service: Service): Promise<readonly (readonly string[])[]> {
  const rows: string[][] = []
  for (const writers of WRITERS) {
    await updateParts(service, writers, COMMITS / 10)
    const update = () => updateParts(service, writers, COMMITS)
    const { seconds, cpuMicros } = await measureCost(service.pid, update)
    rows.push([String(writers), count(COMMITS / seconds), count(cpuMicros / COMMITS)])
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
