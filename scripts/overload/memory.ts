/** The most memory that callers can make the service use. */
import { setTimeout as sleep } from 'node:timers/promises'
import { MEMORY_BUDGET_BYTES } from '../../src/contract/limits.ts'
import { treeMegabytes, watchMemory } from '../measure/process-stats.ts'
import { print, showProgress } from '../measure/progress.ts'
import { hasEnded } from '../measure/server.ts'
import type { Service } from '../measure/service.ts'
import type { Workspace } from '../measure/workspace.ts'
import { createCaller, describeStatuses, startFlood } from './callers.ts'
import type { FloodKind } from './flood.ts'
import type { FloodOptions } from './two-callers.ts'

/** Memory may exceed the budget by this share. */
const TOLERANCE = 0.2
const CALLERS = 4
const KINDS: readonly FloodKind[] = ['batches', 'stalled readers', 'queries']

/** Prints the peak, and returns the missed marks. */
export async function measureMemory(
  workspace: Workspace,
  service: Service,
  store: string,
  { seconds, batchBytes }: FloodOptions,
): Promise<readonly string[]> {
  showProgress(`measuring memory with ${CALLERS} floods`)
  const before = treeMegabytes(service.pid)
  const floods = []
  for (let n = 0; n < CALLERS; n += 1) {
    const token = await createCaller(store, `memory ${n}`)
    // Batches of twice the usual size are the largest legal ones.
    const order = { url: service.url.href, token, kinds: KINDS, batchBytes: 2 * batchBytes }
    floods.push(startFlood(workspace, order))
  }
  using watch = watchMemory(service.pid, treeMegabytes)
  for (let n = 0; n < 20 * seconds && !hasEnded(service.child); n += 1) await sleep(100)
  const most = watch.end()
  const statuses: Record<string, number> = {}
  for (const flood of floods) {
    for (const [status, times] of Object.entries(await flood.end())) {
      statuses[status] = (statuses[status] ?? 0) + times
    }
  }
  const budget = MEMORY_BUDGET_BYTES / 1024 ** 2
  print(
    `\nMemory with ${CALLERS} floods: ${before} MB before, at most ${most} MB, budget ${budget} MB. Responses: ${describeStatuses(statuses)}.`,
  )
  if (hasEnded(service.child)) return ['memory: the service ended']
  const limit = budget * (1 + TOLERANCE)
  return most > limit ? [`memory: ${most} MB exceed the limit of ${Math.round(limit)} MB`] : []
}
