/** Batches of new objects whose keys lie anywhere among those of the stored ones. */
import { makePart } from '../measure/parts.ts'
import { cpuBetween, cpuTimes } from '../measure/process-stats.ts'
import { PART_OBJECTS, type Service, writeChanges } from '../measure/service.ts'

const NEW_OBJECTS = 10_000

/** Returns the CPU microseconds that the service needs per object. */
export async function measureNewKeys(service: Service, objects: number): Promise<number> {
  const cpuBefore = cpuTimes(service.pid)
  await writeChanges(service, PART_OBJECTS, newParts(objects))
  return (cpuBetween(cpuBefore, cpuTimes(service.pid)) ?? Number.NaN) / NEW_OBJECTS
}

/** A prime step visits the stored keys in no order; the ending makes each key a new one. */
function newParts(objects: number): readonly object[] {
  return Array.from({ length: NEW_OBJECTS }, (_, index) => {
    const part = makePart((index * 7_368_787) % objects, 0)
    return { put: { ...part, partNumber: `${part.partNumber}-${index}` } }
  })
}
