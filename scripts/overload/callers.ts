/** The service under test, the callers that use it, and the floods that run against it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { administer } from '../measure/parts.ts'
import type { Service, Workbench } from '../measure/workbench.ts'
import type { FloodOrder, FloodReport } from './flood.ts'
import type { LoopReport } from './loop-monitor.ts'

const LOOP_MONITOR = new URL('./loop-monitor.ts', import.meta.url).href
const FLOOD = fileURLToPath(new URL('./flooding-caller.ts', import.meta.url))

/** The rate limit is off: the other protections must work without it. */
export function startMonitored(bench: Workbench): Promise<Service> {
  const settings = { OQS_RATE_LIMIT_PER_MINUTE: 'none' }
  return bench.startService({ settings, keepLimits: true, preload: LOOP_MONITOR })
}

/** Creates a caller that may read and write, with policies or without; returns its token. */
export async function createCaller(service: Service, name: string, ...policies: string[]) {
  const scopes = ['api:ontologies-read', 'api:ontologies-write']
  const spec = { name, scopes, ...(policies.length > 0 && { policies }) }
  return ((await administer(service, 'POST', 'tokens', spec)) as { readonly token: string }).token
}

/** Returns the longest time in ms that the event loop was blocked since the last call. */
export async function longestBlock({ child }: Service): Promise<number> {
  const reply = once(child, 'message')
  child.send('report')
  return ((await reply) as [LoopReport])[0].longestMs
}

/** A flood or an attack that is running. */
export interface Load {
  /** Ends it at once; returns how often each status was received. */
  end(): Promise<string>
}

export function startFlood(bench: Workbench, order: FloodOrder): Load {
  const child = fork(FLOOD)
  bench.adopt(child)
  child.send(order)
  return {
    async end() {
      const report = once(child, 'message')
      child.send('end')
      return describeStatuses(((await report) as [FloodReport])[0])
    },
  }
}

export function describeStatuses(report: FloodReport): string {
  const counts = Object.entries(report).map(([status, times]) => `${times} × ${status}`)
  return counts.join(', ') || 'none'
}
