/** One caller floods the service and hangs up, while another sends small requests. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, Connection } from '../measure/connection.ts'
import { print, showProgress } from '../measure/progress.ts'
import type { Service } from '../measure/service.ts'
import { quantile } from '../measure/statistics.ts'
import { type Table, toMarkdown } from '../measure/table.ts'
import type { Workspace } from '../measure/workspace.ts'
import { createCaller, describeStatuses, startFlood } from './callers.ts'
import { batchPath, LIST_PATH } from './dataset.ts'
import type { FloodKind, FloodOrder } from './flood.ts'

/** The floods by the name that `--flood` takes. */
export const FLOODS: Readonly<Record<string, readonly FloodKind[]>> = {
  queries: ['queries'],
  pages: ['pages', 'pipelines'],
  batches: ['batches'],
  'two-batches': ['two batches'],
  texts: ['texts'],
  'text-arrays': ['text arrays'],
  'integer-arrays': ['integer arrays'],
  deletions: ['deletions'],
  'type-deletions': ['type deletions'],
  replacements: ['replacements'],
  'hang-ups': ['hang-ups', 'unknown tokens'],
  all: ['queries', 'pages', 'pipelines', 'batches', 'stalled readers'],
}

export interface FloodOptions {
  readonly seconds: number
  readonly batchBytes: number
}

/** How much slower than without a flood 95 of 100 small requests may be. */
const SLOWDOWN_LIMIT = 10
const RECOVERY_LIMIT_MS = 2000
/** How long the slowest small request may take. */
const LONGEST_LIMIT_MS = 1000
const WRITE = 'write an object'
/** How long a service may need to complete the work of a flood. */
const SETTLE_MS = 5000

interface Timing {
  readonly name: string
  /** 0 when the connection failed. */
  readonly status: number
  readonly ms: number
}

/** Prints a table for each flood, and returns the missed marks. */
export async function measureTwoCallers(
  workspace: Workspace,
  service: Service,
  store: string,
  floods: readonly string[],
  { seconds, batchBytes }: FloodOptions,
): Promise<readonly string[]> {
  const [attacker, bystander] = [await createCaller(store, 'a'), await createCaller(store, 'b')]
  using sender = new SmallRequests(service, bystander)
  showProgress('warming up')
  await sender.sendFor(1000 * seconds)
  const missed: string[] = []
  for (const name of floods) {
    showProgress('measuring small requests without a flood')
    // Right before each flood, because the speed of a shared machine changes within minutes.
    await sleep(SETTLE_MS)
    const quiet = await sender.sendFor(1000 * seconds)
    showProgress(`flood: ${name}`)
    const kinds = FLOODS[name] ?? []
    const order: FloodOrder = {
      url: service.url.href,
      token: attacker,
      kinds,
      batchBytes,
      usesIdleTimeOnly: true,
    }
    const flood = startFlood(workspace, order)
    // The first second is not judged: the service still has to notice the flood.
    await sender.sendFor(1000)
    const loaded = await sender.sendFor(1000 * seconds)
    const statuses = await flood.end()
    const recoveryMs = await waitForRecovery(sender, quiet)
    print(`\n${toMarkdown(floodTable(name, quiet, loaded))}`)
    const recovery = `Recovery took ${Math.round(recoveryMs)} ms.`
    print(`\nResponses to the flood: ${describeStatuses(statuses)}. ${recovery}`)
    missed.push(...missedMarks(name, quiet, loaded, recoveryMs))
  }
  return missed
}

/** Sends small requests one after the other, for different objects so that no response is cached. */
class SmallRequests implements Disposable {
  readonly #service: Service
  readonly #token: string
  #connection: Connection | undefined
  #round = 0

  constructor(service: Service, token: string) {
    this.#service = service
    this.#token = token
  }

  async sendFor(ms: number): Promise<readonly Timing[]> {
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
  }

  async #time(name: string, call: Call): Promise<Timing> {
    const started = performance.now()
    let status = 0
    try {
      const headers = { authorization: `Bearer ${this.#token}` }
      this.#connection ??= await Connection.open({ url: this.#service.url, headers })
      status = (await this.#connection.send(call)).status
    } catch {
      this.#connection?.[Symbol.dispose]()
      this.#connection = undefined
    }
    return { name, status, ms: performance.now() - started }
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
  return [
    ['list 10 objects', { method: 'GET', path: `${LIST_PATH}?pageSize=${5 + (round % 10)}` }],
    ['get an object', { method: 'GET', path: `${LIST_PATH}/${id}` }],
    ['search by equality', search({ type: 'eq', field: 'properties.id', value: id })],
    ['search for a rare term', search(term)],
    ['readiness', { method: 'GET', path: '/readyz' }],
    [WRITE, writeOf(id, round)],
  ]
}

/** Writes one object. */
function writeOf(id: string, n: number): Call {
  const body = JSON.stringify({ put: { id, n, text: 'a few words of a note' } })
  return { method: 'POST', path: batchPath('note'), body, contentType: 'application/x-ndjson' }
}

/** Waits until every small request of a round is within its limit again. */
async function waitForRecovery(sender: SmallRequests, quiet: readonly Timing[]): Promise<number> {
  const started = performance.now()
  while (performance.now() - started < 10 * RECOVERY_LIMIT_MS) {
    const round = await sender.sendFor(0)
    if (round.every(({ name, ms }) => ms <= SLOWDOWN_LIMIT * medianMs(quiet, name))) break
  }
  return performance.now() - started
}

const NAMES = smallCalls(0).map(([name]) => name)

function floodTable(name: string, quiet: readonly Timing[], loaded: readonly Timing[]): Table {
  const rowOf = (label: string, quietMs: string, timings: readonly Timing[]) => {
    const ratios = slowdowns(quiet, timings)
    const refused = timings.filter(({ status }) => status !== 200).length
    const shown = [0.5, 0.95, 1].map((share) => quantile(ratios, share).toFixed(1))
    const longest = Math.round(longestMs(timings))
    return [label, quietMs, ...shown, String(longest), String(refused)]
  }
  return [
    [`Flood: ${name}`, 'quiet ms', 'p50 ×', 'p95 ×', 'max ×', 'max ms', 'refused'],
    ...NAMES.map((request) => {
      const timings = loaded.filter((each) => each.name === request)
      return rowOf(request, medianMs(quiet, request).toFixed(2), timings)
    }),
    rowOf('all small requests', '', loaded),
  ]
}

/** Returns how many times longer each request took than the median of the same request before. */
function slowdowns(quiet: readonly Timing[], timings: readonly Timing[]): readonly number[] {
  const medians = new Map(NAMES.map((name) => [name, medianMs(quiet, name)]))
  return timings.map(({ name, ms }) => ms / (medians.get(name) ?? Number.NaN))
}

function missedMarks(
  flood: string,
  quiet: readonly Timing[],
  loaded: readonly Timing[],
  recoveryMs: number,
): readonly string[] {
  const missed: string[] = []
  // Writes are judged by themselves, below: each waits for a step of a large write.
  const reads = loaded.filter(({ name }) => name !== WRITE)
  const ratio = quantile(slowdowns(quiet, reads), 0.95)
  if (ratio > SLOWDOWN_LIMIT) {
    missed.push(`flood ${flood}: small requests took ${ratio.toFixed(1)} × as long (p95)`)
  }
  const longest = longestMs(loaded)
  if (longest > LONGEST_LIMIT_MS) {
    missed.push(`flood ${flood}: the slowest small request took ${Math.round(longest)} ms`)
  }
  const writes = [quiet, loaded].map((timings) => p95Of(timings, WRITE))
  const [quietWrite = 0, loadedWrite = 0] = writes
  if (loadedWrite > SLOWDOWN_LIMIT * quietWrite) {
    const times = (loadedWrite / quietWrite).toFixed(1)
    missed.push(`flood ${flood}: small writes took ${times} × as long (p95 of both)`)
  }
  const refused = loaded.filter(({ status }) => status !== 200).length
  if (refused > 0) missed.push(`flood ${flood}: ${refused} small requests were refused`)
  if (recoveryMs > RECOVERY_LIMIT_MS) {
    missed.push(`flood ${flood}: recovery took ${Math.round(recoveryMs)} ms`)
  }
  return missed
}

function longestMs(timings: readonly Timing[]): number {
  return Math.max(0, ...timings.map(({ ms }) => ms))
}

function p95Of(timings: readonly Timing[], request: string): number {
  const times = timings.filter(({ name }) => name === request).map(({ ms }) => ms)
  return quantile(times, 0.95)
}

function medianMs(timings: readonly Timing[], request: string): number {
  const times = timings.filter(({ name }) => name === request).map(({ ms }) => ms)
  return quantile(times, 0.5)
}
