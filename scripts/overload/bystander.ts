/** What a caller notices who sends small requests while others flood or attack the service. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MEMORY_BUDGET_BYTES } from '../../src/contract/limits.ts'
import { chosenNames, type Part, type PartContext } from '../measure/command.ts'
import { administer, createCaller } from '../measure/parts.ts'
import { watchMemory } from '../measure/processes.ts'
import { atMost, type Mark, none, quantile, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service, Workbench } from '../measure/workbench.ts'
import { startMonitored } from './event-loop.ts'
import { loadItems } from './inputs.ts'
import {
  ATTACKS,
  FLOODS,
  findLoad,
  type LoadName,
  type LoadNumbers,
  type LoadReport,
} from './loads.ts'
import { NAMES, SmallRequests, type Timing, WRITE } from './small-requests.ts'

/** How much slower than without a load 95 of 100 small requests may be. */
const SLOWDOWN_LIMIT = 10
const RECOVERY_LIMIT_MS = 2000
/** How long the slowest small request may take. */
const LONGEST_LIMIT_MS = 1000
/** Memory may exceed the budget by this share. */
const MEMORY_LIMIT_MB = Math.round((MEMORY_BUDGET_BYTES / 1024 ** 2) * 1.2)
/** How long a service may need to complete the work of a load. */
const SETTLE_MS = 5000
const CALLER = fileURLToPath(new URL('./flooding-caller.ts', import.meta.url))

interface Numbers extends LoadNumbers {
  readonly objects: number
  readonly seconds: number
}

const ATTACKERS = { ontologies: 626, callers: 200, connections: 2500 }
const FULL: Numbers = { objects: 200_000, seconds: 10, batchBytes: 30_000_000, ...ATTACKERS }
const FEW_ATTACKERS = { ...ATTACKERS, ontologies: 20, callers: 20 }
const QUICK: Numbers = { objects: 20_000, seconds: 2, batchBytes: 4_000_000, ...FEW_ATTACKERS }

export const floods: Part<Numbers> = {
  about: `One caller floods the service and hangs up, while another sends small requests of six kinds. Of all
small reads together, 95 of 100 must take less than ${SLOWDOWN_LIMIT} times the median of their kind without a flood,
and of all small writes less than ${SLOWDOWN_LIMIT} times their 95th percentile. None may take more than a second or be
refused, and all must be as fast as before within 2 seconds. The table also shows each kind by itself,
which is not judged: ${SLOWDOWN_LIMIT} times the fastest kind is less than a time slice of the operating system.
The service must stay within 1.2 times its memory budget.`,
  full: FULL,
  quick: QUICK,
  run: (context) => measureLoads(context, 'flood', FLOODS, 0.5),
}

export const attacks: Part<Numbers> = {
  about: `Callers fill the memory with definitions and with views of them, or open connections and send
nothing, while another reads and writes on new connections. The limits are those of the floods, except
that reads are compared with their 95th percentile.`,
  full: FULL,
  quick: QUICK,
  run: (context) => measureLoads(context, 'attack', ATTACKS, 0.95),
}

export const columns: Part<Numbers> = {
  about: `The process of columns is stopped, and each one that replaces it, while a caller reads, counts and writes.
The limits are those of attacks.`,
  full: FULL,
  quick: QUICK,
  run: (context) =>
    measureLoads(context, 'fault', { 'stopped-columns': ['stopped-columns'] }, 0.95),
}

const FEW_DESCRIPTORS = 256

export const descriptors: Part<Numbers> = {
  about: `A service that may open ${FEW_DESCRIPTORS} descriptors, and a caller that opens 400 connections and sends nothing,
while another reads and writes on new connections. The limits are those of attacks.`,
  full: { ...FULL, connections: 400 },
  quick: { ...QUICK, connections: 400 },
  run: (context) =>
    measureLoads(context, 'strangers', { connections: ['connections'] }, 0.95, FEW_DESCRIPTORS),
}

const MEMORY_CALLERS = 4
const MEMORY_LOADS: readonly LoadName[] = ['batches', 'stalled-readers', 'queries']

export const memory: Part<Numbers> = {
  about: `With the largest batches, clients that do not read, and the worst queries, the service must stay
within 1.2 times its memory budget.`,
  // Batches of twice the usual size are the largest legal ones.
  full: { ...FULL, seconds: 20, batchBytes: 2 * FULL.batchBytes },
  quick: { ...QUICK, seconds: 4, batchBytes: 2 * QUICK.batchBytes },
  async run({ bench, numbers, store, print }) {
    const service = await startMonitored(bench)
    await loadItems(service, numbers.objects)
    showProgress(`measuring memory with ${MEMORY_CALLERS} floods`)
    using watch = watchMemory(service.pid)
    const before = watch.most()
    const running = []
    for (let n = 0; n < MEMORY_CALLERS; n += 1) {
      running.push((await prepareLoads(bench, service, MEMORY_LOADS, numbers))(false))
    }
    await sleep(1000 * numbers.seconds)
    const most = watch.most()
    const responses = await Promise.all(running.map((end) => end()))
    print(
      `Memory with ${MEMORY_CALLERS} floods on ${store}: ${before} MB before, at most ${most} MB. Responses: ${responses.join('; ')}.`,
    )
    // Rejects if the service has ended.
    await administer(service, 'GET', 'status')
    return [atMost(MEMORY_LIMIT_MB, `${store}: MB with ${MEMORY_CALLERS} floods`, most)]
  },
}

/** The small requests before and during a load. */
interface Timings {
  readonly quiet: readonly Timing[]
  readonly loaded: readonly Timing[]
}

/** Runs one load after the other, prints a table for each, and judges them. */
async function measureLoads(
  { bench, store, numbers, texts, print }: PartContext<Numbers>,
  kind: 'flood' | 'attack' | 'fault' | 'strangers',
  table: Readonly<Record<string, readonly LoadName[]>>,
  quietShare: number,
  maxDescriptors?: number,
): Promise<readonly Mark[]> {
  const known = Object.keys(table)
  const chosen = chosenNames(`--${kind}`, texts[kind], known) ?? known
  const service = await startMonitored(bench, maxDescriptors)
  await loadItems(service, numbers.objects)
  const target = { ...service, headers: await createCaller(service, 'bystander') }
  using requests = new SmallRequests(target, {
    reconnects: kind === 'attack' || kind === 'strangers',
    counts: kind === 'fault',
  })
  if (kind === 'fault') await untilColumns(service)
  const marks: Mark[] = []
  for (const each of chosen) {
    const name = `${kind} ${each}`
    showProgress(`preparing ${name}`)
    const start = await prepareLoads(bench, service, table[each] ?? [], numbers)
    await requests.sendFor(1000)
    // Right before each load, because the speed of a shared machine changes within minutes.
    await sleep(SETTLE_MS)
    const quiet = await requests.sendFor(1000 * numbers.seconds)
    showProgress(name)
    using watch = watchMemory(service.pid)
    // Attacks need little CPU time, and none would be left for them on a busy machine.
    const end = start(kind === 'flood')
    // The first second is not judged: the service still has to notice the load.
    await requests.sendFor(1000)
    const loaded = await requests.sendFor(1000 * numbers.seconds)
    const responses = await end()
    const recoveryMs = await measureRecovery(requests, quiet)
    print(loadTable(`${store}, ${name}`, { quiet, loaded }))
    print(
      `Responses to the load: ${responses}. Recovery took ${Math.round(recoveryMs)} ms. At most ${watch.most()} MB.`,
    )
    marks.push(
      ...marksOf(name, { quiet, loaded }, quietShare),
      atMost(RECOVERY_LIMIT_MS, `${name}: recovery, ms`, recoveryMs),
      atMost(MEMORY_LIMIT_MB, `${name}: MB`, watch.most()),
    )
  }
  return marks
}

/** Returns a function that starts loads in a process, which returns one that ends them at once. */
async function prepareLoads(
  bench: Workbench,
  service: Service,
  names: readonly LoadName[],
  numbers: LoadNumbers,
) {
  const [prepare] = names.flatMap((name) => findLoad(name).prepare ?? [])
  const callers = (await prepare?.(service, numbers)) ?? [await createCaller(service, 'flood')]
  return (usesIdleTimeOnly: boolean) => {
    const child = fork(CALLER)
    bench.adopt(child)
    const { pid } = service
    child.send({ url: service.url.href, names, callers, pid, numbers, usesIdleTimeOnly })
    return async () => {
      const report = once(child, 'message') as Promise<[LoadReport]>
      child.send('end')
      const counts = Object.entries((await report)[0]).map(([status, n]) => `${n} × ${status}`)
      return counts.join(', ') || 'none'
    }
  }
}

/** Returns the milliseconds until small requests are as fast as before. */
async function measureRecovery(requests: SmallRequests, quiet: readonly Timing[]) {
  const started = performance.now()
  for (;;) {
    const isSlow = slowdown({ quiet, loaded: await requests.sendFor(0) }, 0.5, 1) > SLOWDOWN_LIMIT
    const ms = performance.now() - started
    if (!isSlow || ms > 10 * RECOVERY_LIMIT_MS) return ms
  }
}

/** Reads are compared with a quantile of the quiet ones, writes with their 95th percentile. */
function marksOf(name: string, { quiet, loaded }: Timings, quietShare: number): Mark[] {
  const [writes, reads] = [true, false].map((isWrite) =>
    loaded.filter((timing) => isWrite === (timing.name === WRITE)),
  ) as [Timing[], Timing[]]
  const readsSlower = slowdown({ quiet, loaded: reads }, quietShare)
  // By themselves: each waits for a step of a large write.
  const writesSlower = slowdown({ quiet, loaded: writes }, 0.95)
  return [
    atMost(SLOWDOWN_LIMIT, `${name}: small reads, p95 ×`, readsSlower),
    atMost(SLOWDOWN_LIMIT, `${name}: small writes, p95 ×`, writesSlower),
    atMost(LONGEST_LIMIT_MS, `${name}: slowest small request, ms`, longestMs(loaded)),
    none(`${name}: refused small requests`, countRefused(loaded)),
  ]
}

/** Waits until columns answer questions about the items. */
async function untilColumns(service: Service): Promise<void> {
  showProgress('waiting until columns are built')
  for (;;) {
    const { columns } = await administer(service, 'GET', 'status')
    if (columns?.objectTypes[0]?.state === 'ready') return
    await sleep(100)
  }
}

/**
 * Returns how many times longer the slowest requests took than those of the same kind before: a
 * quantile of the times, each divided by a quantile of the quiet ones.
 */
function slowdown({ quiet, loaded }: Timings, quietShare: number, share = 0.95): number {
  const usual = new Map(NAMES.map((name) => [name, quietMs(quiet, name, quietShare)]))
  const ratios = loaded.map(({ name, ms }) => ms / (usual.get(name) ?? Number.NaN))
  return quantile(ratios, share)
}

function quietMs(quiet: readonly Timing[], request: string, share: number): number {
  const own = quiet.filter(({ name }) => name === request)
  return quantile(
    own.map(({ ms }) => ms),
    share,
  )
}

function longestMs(timings: readonly Timing[]): number {
  return Math.max(0, ...timings.map(({ ms }) => ms))
}

function countRefused(timings: readonly Timing[]): number {
  return timings.filter(({ status }) => status !== 200).length
}

function loadTable(title: string, { quiet, loaded }: Timings): string {
  const row = (label: string, own: readonly Timing[], ms = '') => [
    label,
    ms,
    ...[0.5, 0.95, 1].map((share) => slowdown({ quiet, loaded: own }, 0.5, share).toFixed(1)),
    String(Math.round(longestMs(own))),
    String(countRefused(own)),
  ]
  const kinds = NAMES.flatMap((name) => {
    const own = loaded.filter((each) => each.name === name)
    return own.length === 0 ? [] : [row(name, own, quietMs(quiet, name, 0.5).toFixed(2))]
  })
  const header = [title, 'quiet ms', 'p50 ×', 'p95 ×', 'max ×', 'max ms', 'refused']
  return toMarkdown([header, ...kinds, row('all small requests', loaded)])
}
