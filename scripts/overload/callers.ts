/** The service under test, the callers that use it, and the floods that run against it. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { runOqs } from '../../test/support/oqs-process.ts'
import { showProgress } from '../measure/progress.ts'
import { define, type Service, startService, writeChanges } from '../measure/service.ts'
import type { Workspace } from '../measure/workspace.ts'
import { batchPath, DEFINITION, item, TYPE } from './dataset.ts'
import type { FloodOrder, FloodReport } from './flood.ts'
import type { LoopReport } from './loop-monitor.ts'

const LOOP_MONITOR = new URL('./loop-monitor.ts', import.meta.url).href
const FLOOD = fileURLToPath(new URL('./flood.ts', import.meta.url))

/** The rate limit is off: the other protections must work without it. */
export function startMonitoredService(workspace: Workspace, store: string): Promise<Service> {
  const settings = { OQS_RATE_LIMIT_PER_MINUTE: 'none' }
  return startService(workspace, { store, settings, keepLimits: true, preload: LOOP_MONITOR })
}

/** Defines the types and writes the objects that are queried. */
export async function loadItems(service: Service, objects: number): Promise<void> {
  showProgress(`loading ${objects.toLocaleString('en')} objects`)
  await define(service, DEFINITION)
  const changes = Array.from({ length: objects }, (_, n) => ({ put: item(n) }))
  await writeChanges(service, batchPath(TYPE), changes)
}

/** Creates a caller that may read and write; returns its token. */
export async function createCaller(store: string, name: string): Promise<string> {
  const scopes = 'api:ontologies-read,api:ontologies-write'
  const args = ['token', 'create', '--name', name, '--scope', scopes]
  const { code, stdout, stderr } = await runOqs(args, { OQS_STORE: store })
  if (code !== 0) throw new Error(`oqs token create failed: ${stderr}`)
  return stdout.trim()
}

/** Returns the longest time in ms that the event loop was blocked since the last call. */
export async function longestBlock({ child }: Service): Promise<number> {
  const reply = once(child, 'message')
  child.send('report')
  return ((await reply) as [LoopReport])[0].longestMs
}

export interface Flood {
  /** Closes all connections at once; returns how often each status was received. */
  end(): Promise<FloodReport>
}

export function startFlood(workspace: Workspace, order: FloodOrder): Flood {
  const child: ChildProcess = fork(FLOOD)
  workspace.adopt(child)
  child.send(order)
  return {
    async end() {
      const report = once(child, 'message')
      child.send('end')
      return ((await report) as [FloodReport])[0]
    },
  }
}

export function describeStatuses(report: FloodReport): string {
  const counts = Object.entries(report).map(([status, times]) => `${times} × ${status}`)
  return counts.join(', ') || 'none'
}
