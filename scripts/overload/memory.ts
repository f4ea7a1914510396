/** The most memory that callers can make the service use. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../measure/command.ts'
import { hasEnded, privateMegabytes, watchMemory } from '../measure/processes.ts'
import { atMost, showProgress } from '../measure/report.ts'
import { type FloodNumbers, MEMORY_LIMIT_MB } from './bystander.ts'
import { createCaller, startFlood, startMonitored } from './callers.ts'
import { loadItems } from './dataset.ts'
import type { FloodKind } from './flood.ts'

const CALLERS = 4
const KINDS: readonly FloodKind[] = ['batches', 'stalled readers', 'queries']

export const memory: Part<FloodNumbers> = {
  about: `With the largest batches, clients that do not read, and the worst queries, the service must stay
within 1.2 times its memory budget.`,
  // Batches of twice the usual size are the largest legal ones.
  full: { objects: 200_000, seconds: 20, batchBytes: 60_000_000 },
  quick: { objects: 20_000, seconds: 4, batchBytes: 8_000_000 },
  async run({ bench, numbers, store, print }) {
    const service = await startMonitored(bench)
    await loadItems(service, numbers.objects)
    showProgress(`measuring memory with ${CALLERS} floods`)
    const before = privateMegabytes(service.pid)
    const floods = []
    for (let n = 0; n < CALLERS; n += 1) {
      const token = await createCaller(service, `memory ${n}`)
      floods.push(startFlood(bench, { url: service.url.href, token, kinds: KINDS, ...numbers }))
    }
    using watch = watchMemory(service.pid)
    for (let n = 0; n < 10 * numbers.seconds && !hasEnded(service.child); n += 1) await sleep(100)
    const most = watch.most()
    const responses = await Promise.all(floods.map((flood) => flood.end()))
    print(
      `Memory with ${CALLERS} floods on ${store}: ${before} MB before, at most ${most} MB. Responses: ${responses.join('; ')}.`,
    )
    if (hasEnded(service.child)) throw new Error('memory: the service ended')
    return [atMost(MEMORY_LIMIT_MB, `${store}: MB with ${CALLERS} floods`, most)]
  },
}
