/** Commits of single objects: how many per second, and what each costs the service. */
import { Connection } from '../measure/connection.ts'
import { makePart } from '../measure/parts.ts'
import { cpuBetween, cpuTimes } from '../measure/process-stats.ts'
import { PART_OBJECTS, type Service } from '../measure/service.ts'
import { count } from '../measure/table.ts'

const WRITERS = [1, 32]
const COMMITS = 2000

/** Returns rows of a table: writers, commits per second, CPU microseconds per commit. */
export async function measureCommits(service: Service): Promise<readonly (readonly string[])[]> {
  const rows: string[][] = []
  for (const writers of WRITERS) {
    await updateParts(service, writers, COMMITS / 10)
    const cpuBefore = cpuTimes(service.pid)
    const started = performance.now()
    await updateParts(service, writers, COMMITS)
    const seconds = (performance.now() - started) / 1000
    const cpuMicros = cpuBetween(cpuBefore, cpuTimes(service.pid)) ?? Number.NaN
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
