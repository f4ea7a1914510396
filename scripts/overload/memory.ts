/** The most memory that callers can make the service use. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MEMORY_BUDGET_BYTES } from '../../src/contract/limits.ts'
import type { Workspace } from '../bench/workspace.ts'
import type { FloodKind } from './flood.ts'
import type { OverloadedService } from './service.ts'

const FLOOD = fileURLToPath(new URL('./flood.ts', import.meta.url))
/** The share of the budget that memory may exceed it by. */
const TOLERANCE = 0.2
const CALLERS = 4
const KINDS: readonly FloodKind[] = ['batches', 'stalled readers', 'queries']

export async function measureMemory(
  service: OverloadedService,
  workspace: Workspace,
  { seconds, batchBytes }: { readonly seconds: number; readonly batchBytes: number },
): Promise<string[]> {
  const before = service.ownMegabytes()
  const floods = []
  for (let n = 0; n < CALLERS; n += 1) {
    const token = await service.createToken(`memory ${n}`)
    const flood = fork(FLOOD)
    workspace.adopt(flood)
    // Twice the size that a caller sends to be fast: the largest batches that are legal.
    flood.send({ url: service.url, token, kinds: KINDS, batchBytes: 2 * batchBytes })
    floods.push(flood)
  }
  let most = 0
  for (let sample = 0; sample < seconds * 20 && !service.hasEnded(); sample += 1) {
    most = Math.max(most, service.ownMegabytes())
    await sleep(100)
  }
  const answers: Record<string, number> = {}
  for (const flood of floods) {
    const report = once(flood, 'message')
    flood.send('end')
    const [statuses] = (await report) as [Record<string, number>]
    for (const [status, count] of Object.entries(statuses)) {
      answers[status] = (answers[status] ?? 0) + count
    }
  }
  const budget = MEMORY_BUDGET_BYTES / 1024 ** 2
  const shown = Object.entries(answers).map(([status, count]) => `${count} x ${status}`)
  console.log(
    `\nMemory of ${CALLERS} floods: ${Math.round(before)} MB before, at most ${Math.round(most)} MB, budget ${budget} MB; answers: ${shown.join(', ')}`,
  )
  if (service.hasEnded()) return ['memory: the process ended']
  const limit = budget * (1 + TOLERANCE)
  return most > limit ? [`memory: ${Math.round(most)} MB of ${Math.round(limit)}`] : []
}
