/** What a caller notices who sends small requests while others flood or attack the service. */
import { setTimeout as sleep } from 'node:timers/promises'
import { MEMORY_BUDGET_BYTES } from '../../src/contract/limits.ts'
import { chosenNames, type Part, type PartContext } from '../measure/command.ts'
import { type Call, Connection } from '../measure/connection.ts'
import { hasEnded, watchMemory } from '../measure/processes.ts'
import {
  atMost,
  type Mark,
  none,
  quantile,
  showProgress,
  type Table,
  toMarkdown,
} from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'
import { createCaller, type Load, startFlood, startMonitored } from './callers.ts'
import { batchPath, LIST_PATH, loadItems } from './dataset.ts'
import { FLOODS, type FloodKind } from './flood.ts'
import { ATTACKS, type AttackNumbers } from './memory-attacks.ts'

/** How much slower than without a load 95 of 100 small requests may be. */
const SLOWDOWN_LIMIT = 10
const RECOVERY_LIMIT_MS = 2000
/** How long the slowest small request may take. */
const LONGEST_LIMIT_MS = 1000
/** Memory may exceed the budget by this share. */
export const MEMORY_LIMIT_MB = Math.round((MEMORY_BUDGET_BYTES / 1024 ** 2) * 1.2)
const WRITE = 'write an object'
/** How long a service may need to complete the work of a flood. */
const SETTLE_MS = 5000

export interface FloodNumbers {
  readonly objects: number
  readonly seconds: number
  readonly batchBytes: number
}

export const floods: Part<FloodNumbers> = {
  about: `One caller floods the service and hangs up, while another sends small requests of six kinds. Of all
small reads together, 95 of 100 must take less than ${SLOWDOWN_LIMIT} times the median of their kind without a flood,
and of all small writes less than ${SLOWDOWN_LIMIT} times their 95th percentile. None may take more than a second or be
refused, and all must be as fast as before within 2 seconds. The table also shows each kind by itself,
which is not judged: ${SLOWDOWN_LIMIT} times the fastest kind is less than a time slice of the operating system.`,
  full: { objects: 200_000, seconds: 10, batchBytes: 30_000_000 },
  quick: { objects: 20_000, seconds: 2, batchBytes: 4_000_000 },
  async run(context) {
    const { bench, texts, numbers } = context
    const names = chosenNames('--flood', texts['flood'], Object.keys(FLOODS))
    const { service, caller } = await startBystander(context)
    const attacker = await createCaller(service, 'flood')
    using requests = new SmallRequests(service, caller, false)
    const marks: Mark[] = []
    for (const name of names ?? Object.keys(FLOODS)) {
      const kinds: readonly FloodKind[] = FLOODS[name] ?? []
      const order = { url: service.url.href, token: attacker, kinds, ...numbers }
      const start = () => startFlood(bench, { ...order, usesIdleTimeOnly: true })
      const { quiet, loaded, recoveryMs } = await measure(context, `flood ${name}`, requests, start)
      const recovery = atMost(RECOVERY_LIMIT_MS, `flood ${name}: recovery, ms`, recoveryMs)
      marks.push(...marksOf(`flood ${name}`, quiet, loaded, 0.5), recovery)
    }
    return marks
  },
}

export const attacks: Part<AttackNumbers & { readonly objects: number }> = {
  about: `Callers fill the memory with definitions and with views of them, or open connections and send
nothing, while another reads and writes on new connections. The limits are those of the floods, and
the service must stay within 1.2 times its memory budget.`,
  full: { objects: 200_000, seconds: 10, ontologies: 626, callers: 200, connections: 2500 },
  quick: { objects: 20_000, seconds: 2, ontologies: 20, callers: 20, connections: 2500 },
  async run(context) {
    const { texts, numbers } = context
    const names = chosenNames('--attack', texts['attack'], Object.keys(ATTACKS))
    const { service, caller } = await startBystander(context)
    using requests = new SmallRequests(service, caller, true)
    const marks: Mark[] = []
    for (const name of names ?? Object.keys(ATTACKS)) {
      showProgress(`preparing attack ${name}`)
      const start = await ATTACKS[name]?.(service, numbers)
      if (start === undefined) continue
      using watch = watchMemory(service.pid)
      const { quiet, loaded } = await measure(context, `attack ${name}`, requests, start)
      const megabytes = atMost(MEMORY_LIMIT_MB, `attack ${name}: MB`, watch.most())
      marks.push(...marksOf(`attack ${name}`, quiet, loaded, 0.95), megabytes)
      if (hasEnded(service.child)) throw new Error(`attack ${name}: the service ended`)
    }
    return marks
  },
}

interface Timing {
  readonly name: string
  /** 0 when the connection failed. */
  readonly status: number
  readonly ms: number
}

type Timings = readonly Timing[]

async function startBystander({ bench, numbers }: PartContext<{ readonly objects: number }>) {
  const service = await startMonitored(bench)
  await loadItems(service, numbers.objects)
  return { service, caller: await createCaller(service, 'bystander') }
}

/** Prints a table of the small requests before and during a load. */
async function measure(
  { store, numbers, print }: PartContext<{ readonly seconds: number }>,
  name: string,
  requests: SmallRequests,
  start: () => Load,
) {
  showProgress(`measuring small requests before ${name}`)
  await requests.sendFor(1000)
  // Right before each load, because the speed of a shared machine changes within minutes.
  await sleep(SETTLE_MS)
  const quiet = await requests.sendFor(1000 * numbers.seconds)
  showProgress(name)
  const load = start()
  // The first second is not judged: the service still has to notice the load.
  await requests.sendFor(1000)
  const loaded = await requests.sendFor(1000 * numbers.seconds)
  const responses = await load.end()
  const started = performance.now()
  let recoveryMs = 0
  for (let isSlow = true; isSlow && recoveryMs < 10 * RECOVERY_LIMIT_MS; ) {
    isSlow = slowdown(quiet, await requests.sendFor(0), 0.5, 1) > SLOWDOWN_LIMIT
    recoveryMs = performance.now() - started
  }
  print(toMarkdown(loadTable(`${store}, ${name}`, quiet, loaded)))
  print(`Responses to the load: ${responses}. Recovery took ${Math.round(recoveryMs)} ms.`)
  return { quiet, loaded, recoveryMs }
}

/** Reads are compared with a quantile of the quiet ones, writes with their 95th percentile. */
function marksOf(name: string, quiet: Timings, loaded: Timings, quietShare: number): Mark[] {
  const slowdownOf = (isWrite: boolean, share: number) => {
    const isOf = (timing: Timing) => isWrite === (timing.name === WRITE)
    return slowdown(quiet, loaded.filter(isOf), share)
  }
  return [
    atMost(SLOWDOWN_LIMIT, `${name}: small reads, p95 ×`, slowdownOf(false, quietShare)),
    // By themselves: each waits for a step of a large write.
    atMost(SLOWDOWN_LIMIT, `${name}: small writes, p95 ×`, slowdownOf(true, 0.95)),
    atMost(LONGEST_LIMIT_MS, `${name}: slowest small request, ms`, longestMs(loaded)),
    none(`${name}: refused small requests`, loaded.filter(({ status }) => status !== 200).length),
  ]
}

/**
 * Returns how many times longer the slowest requests took than those of the same kind before: a
 * quantile of the times, each divided by a quantile of the quiet ones.
 */
function slowdown(quiet: Timings, loaded: Timings, quietShare: number, share = 0.95): number {
  const usual = new Map(NAMES.map((name) => [name, quantile(timesOf(quiet, name), quietShare)]))
  const ratios = loaded.map(({ name, ms }) => ms / (usual.get(name) ?? Number.NaN))
  return quantile(ratios, share)
}

function timesOf(timings: Timings, request: string): readonly number[] {
  return timings.filter(({ name }) => name === request).map(({ ms }) => ms)
}

function longestMs(timings: Timings): number {
  return Math.max(0, ...timings.map(({ ms }) => ms))
}

function loadTable(title: string, quiet: Timings, loaded: Timings): Table {
  const row = (label: string, timings: Timings, quietMs = '') => [
    label,
    quietMs,
    ...[0.5, 0.95, 1].map((share) => slowdown(quiet, timings, 0.5, share).toFixed(1)),
    String(Math.round(longestMs(timings))),
    String(timings.filter(({ status }) => status !== 200).length),
  ]
  const kinds = NAMES.map((name) => {
    const quietMs = quantile(timesOf(quiet, name), 0.5).toFixed(2)
    return row(
      name,
      loaded.filter((each) => each.name === name),
      quietMs,
    )
  })
  const header = [title, 'quiet ms', 'p50 ×', 'p95 ×', 'max ×', 'max ms', 'refused']
  return [header, ...kinds, row('all small requests', loaded)]
}

/** Sends small requests one after the other, for different objects so that no response is cached. */
class SmallRequests implements Disposable {
  readonly #service: Service
  readonly #token: string
  readonly #reconnects: boolean
  #connection: Connection | undefined
  #round = 0

  constructor(service: Service, token: string, reconnects: boolean) {
    this.#service = service
    this.#token = token
    this.#reconnects = reconnects
  }

  async sendFor(ms: number): Promise<Timings> {
    const timings: Timing[] = []
    const end = performance.now() + ms
    do {
      this.#round += 1
      for (const [name, call] of smallCalls(this.#round)) timings.push(await this.#time(name, call))
    } while (performance.now() < end)
    return timings
  }

  [Symbol.dispose](): void {
    this.#connection?.[Symbol.dispose]()
    this.#connection = undefined
  }

  async #time(name: string, call: Call): Promise<Timing> {
    const started = performance.now()
    let status = 0
    try {
      const headers = { authorization: `Bearer ${this.#token}` }
      this.#connection ??= await Connection.open({ url: this.#service.url, headers })
      status = (await this.#connection.send(call)).status
    } catch {
      // Counted as refused.
      this[Symbol.dispose]()
    }
    const ms = performance.now() - started
    if (this.#reconnects) this[Symbol.dispose]()
    return { name, status, ms }
  }
}

function smallCalls(round: number): readonly (readonly [name: string, call: Call])[] {
  const number = round % 10_000
  const id = `i${String(number).padStart(7, '0')}`
  const search = (query: object): Call => ({
    method: 'POST',
    path: `${LIST_PATH}/search`,
    body: JSON.stringify({ query, pageSize: 10 }),
  })
  const term = { type: 'anyTerm', field: 'properties.text', value: `rare${number}` }
  const note = JSON.stringify({ put: { id, n: round, text: 'a few words of a note' } })
  const write = { method: 'POST', contentType: 'application/x-ndjson', body: note }
  return [
    ['list 10 objects', { method: 'GET', path: `${LIST_PATH}?pageSize=${5 + (round % 10)}` }],
    ['get an object', { method: 'GET', path: `${LIST_PATH}/${id}` }],
    ['search by equality', search({ type: 'eq', field: 'properties.id', value: id })],
    ['search for a rare term', search(term)],
    ['readiness', { method: 'GET', path: '/readyz' }],
    [WRITE, { ...write, path: batchPath('note') }],
  ]
}

const NAMES = smallCalls(0).map(([name]) => name)
