/**
 * Callers that fill the memory or the connections of the service instead of its CPU time, while
 * another caller reads and writes, each time on a new connection.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { MEMORY_BUDGET_BYTES } from '../../src/contract/limits.ts'
import { type Call, Connection } from '../measure/connection.ts'
import { treeMegabytes, watchMemory } from '../measure/process-stats.ts'
import { print, showProgress } from '../measure/progress.ts'
import { hasEnded } from '../measure/server.ts'
import type { Service } from '../measure/service.ts'
import { quantile } from '../measure/statistics.ts'
import { toMarkdown } from '../measure/table.ts'
import { createCaller } from './callers.ts'
import { batchPath, LIST_PATH } from './dataset.ts'
import { ATTACKS, type AttackSize } from './memory-attacks.ts'

export const ATTACK_NAMES = Object.keys(ATTACKS)

/** How much slower than without an attack 95 of 100 requests may be, and how long each may take. */
const SLOWDOWN_LIMIT = 10
const LONGEST_LIMIT_MS = 1000
/** Memory may exceed the budget by this share. */
const TOLERANCE = 0.2

interface Timing {
  readonly kind: 'read' | 'write'
  /** 0 when the connection failed. */
  readonly status: number
  readonly ms: number
}

/** Prints a table, and returns the missed marks. */
export async function measureAttacks(
  service: Service,
  store: string,
  names: readonly string[],
  size: AttackSize,
): Promise<readonly string[]> {
  const bystander = await createCaller(store, 'bystander')
  const rows: string[][] = []
  const missed: string[] = []
  await use(service, bystander, 2)
  for (const name of names) {
    showProgress(`preparing attack: ${name}`)
    await using attack = await ATTACKS[name]?.(service, size)
    if (attack === undefined) continue
    showProgress(`measuring without attack: ${name}`)
    const quiet = await use(service, bystander, size.seconds)
    showProgress(`attack: ${name}`)
    using watch = watchMemory(service.pid, treeMegabytes)
    const stop = new AbortController()
    const running = attack.run(stop.signal)
    await sleep(1000)
    const loaded = await use(service, bystander, size.seconds)
    stop.abort()
    const result = await running
    const megabytes = watch.end()
    for (const kind of ['read', 'write'] as const) {
      const [before, after] = [quiet, loaded].map((timings) =>
        timings.filter((one) => one.kind === kind).map(({ ms }) => ms),
      )
      const [quietMs, loadedMs] = [quantile(before ?? [], 0.95), quantile(after ?? [], 0.95)]
      const longest = Math.max(...(after ?? []))
      const refused = loaded.filter((one) => one.kind === kind && one.status !== 200).length
      const shown = [quietMs, loadedMs, longest].map((ms) => ms.toFixed(1))
      rows.push([name, kind, ...shown, String(refused), String(megabytes), result])
      const miss = (what: string) => missed.push(`attack ${name}: ${what}`)
      if (refused > 0) miss(`${refused} ${kind}s of others were refused`)
      if (loadedMs > SLOWDOWN_LIMIT * quietMs) {
        miss(`${kind}s took ${(loadedMs / quietMs).toFixed(1)} × as long (p95)`)
      }
      if (longest > LONGEST_LIMIT_MS) miss(`a ${kind} took ${Math.round(longest)} ms`)
    }
    const limit = (MEMORY_BUDGET_BYTES / 1024 ** 2) * (1 + TOLERANCE)
    if (megabytes > limit) missed.push(`attack ${name}: ${megabytes} MB exceed ${limit} MB`)
    if (hasEnded(service.child)) return [...missed, `attack ${name}: the service ended`]
  }
  const head = ['Attack', 'others', 'quiet p95 ms', 'p95 ms', 'max ms', 'refused', 'MB', 'result']
  print(`\n${toMarkdown([head, ...rows])}`)
  return missed
}

/** Reads a page and writes an object, in turns. */
async function use(service: Service, token: string, seconds: number): Promise<readonly Timing[]> {
  const timings: Timing[] = []
  const end = performance.now() + 1000 * seconds
  for (let n = 0; performance.now() < end; n += 1) {
    timings.push(await time(service, token, n % 2 === 0 ? 'read' : 'write', n))
  }
  return timings
}

async function time(
  { url }: Service,
  token: string,
  kind: Timing['kind'],
  n: number,
): Promise<Timing> {
  const read: Call = { method: 'GET', path: `${LIST_PATH}?pageSize=${5 + (n % 10)}` }
  const write: Call = {
    method: 'POST',
    path: batchPath('sink'),
    contentType: 'application/x-ndjson',
    body: JSON.stringify({ put: { id: `bystander ${n % 100}`, n } }),
  }
  const started = performance.now()
  let status = 0
  try {
    using connection = await Connection.open({ url, headers: { authorization: `Bearer ${token}` } })
    status = (await connection.send(kind === 'read' ? read : write)).status
  } catch {
    // Counted as refused.
  }
  return { kind, status, ms: performance.now() - started }
}
