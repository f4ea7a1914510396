import { readFileSync } from 'node:fs'
import type { CrossingPut } from '../../../src/store/sqlite/threads/crossing-change.ts'
import { UPDATED_EVERY } from '../objects.ts'
import { showProgress } from '../progress.ts'
import type { LayoutName } from './layout.ts'
import type { LayoutStore } from './layout-store.ts'

/** Writes the same commits into every layout, by turns, and tells what each of them cost. */

export interface WriteCost {
  readonly objects: number
  cpuMs: number
  milliseconds: number
  /** Into the files and their journals; NaN where the system does not tell. */
  bytes: number
}

export type WriteCosts = ReadonlyMap<LayoutName, WriteCost>

export interface WritePhase {
  readonly title: string
  /** The numbers of the objects of each commit, in key order. */
  readonly commits: Iterable<readonly number[]>
  readonly objects: number
  readonly revision: number
}

export const BATCH_OBJECTS = 10_000

export function loadPhase(objects: number): WritePhase {
  const commits = everySo(objects, 1)
  return { title: 'load, in key order', commits, objects, revision: 0 }
}

const SINGLE_UPDATES = 100

export function singlePhase(objects: number): WritePhase {
  const numbers = spread(objects, SINGLE_UPDATES)
  const commits = numbers.map((number) => [number])
  return { title: 'update of one object', commits, objects: SINGLE_UPDATES, revision: 1 }
}

const SCATTERED_OBJECTS = 1000

export function scatteredPhase(objects: number): WritePhase {
  const commits = [spread(objects, SCATTERED_OBJECTS)]
  const title = `update of ${SCATTERED_OBJECTS} from all over, one commit`
  return { title, commits, objects: SCATTERED_OBJECTS, revision: 2 }
}

export function everyFifthPhase(objects: number): WritePhase {
  const commits = everySo(objects, UPDATED_EVERY)
  const updated = Math.ceil(objects / UPDATED_EVERY)
  return { title: 'update of every fifth', commits, objects: updated, revision: 3 }
}

function* everySo(objects: number, step: number): Generator<readonly number[]> {
  for (let start = 0; start < objects; start += BATCH_OBJECTS * step) {
    const length = Math.min(BATCH_OBJECTS, Math.ceil((objects - start) / step))
    yield Array.from({ length }, (_, index) => start + index * step)
  }
}

function spread(objects: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * objects) / count))
}

export function runWritePhase(
  phase: WritePhase,
  stores: readonly LayoutStore[],
  makePut: (number: number, revision: number) => CrossingPut,
): WriteCosts {
  const { title, commits, objects, revision } = phase
  const costs = new Map<LayoutName, WriteCost>(
    stores.map(({ name }) => [name, { objects, cpuMs: 0, milliseconds: 0, bytes: 0 }]),
  )
  let turn = 0
  let done = 0
  let tenths = 0
  for (const numbers of commits) {
    const puts = numbers.map((number) => makePut(number, revision))
    // Another one begins each time.
    turn += 1
    stores.forEach((_, index) => {
      const store = stores[(index + turn) % stores.length]
      const cost = store && costs.get(store.name)
      if (cost !== undefined) addCost(cost, () => store?.commit(puts))
    })
    done += numbers.length
    const reached = Math.floor((10 * done) / objects)
    if (reached > tenths) showProgress(`${title}: ${10 * reached} %`)
    tenths = reached
  }
  return costs
}

function addCost(cost: WriteCost, write: () => unknown): void {
  const bytes = bytesWritten()
  const cpu = process.cpuUsage()
  const started = performance.now()
  write()
  cost.milliseconds += performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  cost.cpuMs += (user + system) / 1000
  cost.bytes += bytesWritten() - bytes
}

function bytesWritten(): number {
  try {
    return Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
  } catch {
    return Number.NaN
  }
}
