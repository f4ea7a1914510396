import { Agent } from 'node:http'
import { drainBody, type Target } from '../http-client.ts'
import { CONCURRENCY } from '../options.ts'
import type { PeerContext } from '../peer-report.ts'
import { showProgress } from '../progress.ts'
import type { CheckedPage } from './checked-walk.ts'
import type { Asked, PeerServer, Rival } from './peer.ts'
import { microsBetween, treeTimes } from './process-tree.ts'

/** Measures pages spread over whole walks, in many short rounds that all cases share. */

/** A server that is asked a question; all pages of the answer are known. */
export interface PeerCase {
  readonly name: string
  readonly rival: Rival
  readonly asked: Asked
  readonly server: PeerServer
  readonly pages: readonly CheckedPage[]
}

/** One case in one round. */
export interface PeerSlice {
  readonly requestsPerSecond: number
  readonly latenciesMs: readonly number[]
  /** Processor time for one object; undefined where the system does not tell. */
  readonly serverMicros: number | undefined
  /** The same in the database server, which is none for those that have no such server. */
  readonly databaseMicros: number | undefined
}

export type PeerMeasurements = ReadonlyMap<PeerCase, readonly PeerSlice[]>

/** Enough for the code of a case to be compiled well; a slow peer needs no more than the time. */
const WARM_UP = { requests: 40_000, slices: 75 }
/** Before each slice, so that what ended while others had their turn is opened again: connections. */
const LEAD_SLICES = 0.5
/** An answer may say how long it took, and so differ in length; a message of an error is short. */
const BYTES_AT_LEAST = 0.9

export async function measurePeerRounds(
  cases: readonly PeerCase[],
  database: number | undefined,
  { rounds, sliceMs }: PeerContext,
): Promise<PeerMeasurements> {
  const slices = new Map<PeerCase, PeerSlice[]>(cases.map((each) => [each, []]))
  const orders = new Map(cases.map((each) => [each, spreadPages(each.pages)]))
  const orderOf = (each: PeerCase) => orders.get(each) ?? spreadPages(each.pages)
  showProgress('warming up')
  for (const each of cases) {
    const warmUp = { ms: WARM_UP.slices * sliceMs, requests: WARM_UP.requests }
    using target = newConnections(each.server)
    await ask(target, orderOf(each), warmUp)
  }
  for (let round = 1; round <= rounds; round++) {
    showProgress(`measuring: round ${round} of ${rounds}`)
    // Forth and back: what changes slowly weighs on both sides of a comparison.
    for (const each of round % 2 === 1 ? cases : cases.toReversed()) {
      slices.get(each)?.push(await measureSlice(each.server, orderOf(each), database, sliceMs))
    }
  }
  return slices
}

async function measureSlice(
  server: PeerServer,
  pages: Iterator<CheckedPage, never>,
  database: number | undefined,
  sliceMs: number,
): Promise<PeerSlice> {
  using target = newConnections(server)
  const look = () => ({
    server: treeTimes(server.pid),
    database: database === undefined ? undefined : treeTimes(database),
  })
  await ask(target, pages, { ms: LEAD_SLICES * sliceMs })
  const before = look()
  const { latenciesMs, objects, seconds } = await ask(target, pages, { ms: sliceMs })
  const after = look()
  const perObject = (micros: number | undefined) => micros && micros / objects
  return {
    requestsPerSecond: latenciesMs.length / seconds,
    latenciesMs,
    serverMicros: perObject(microsBetween(before.server, after.server)),
    databaseMicros: perObject(microsBetween(before.database, after.database)),
  }
}

/** While others had their turn, the server may have closed the connections of the last one. */
function newConnections({ url, headers }: Target): Target & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  return { url, headers, agent, [Symbol.dispose]: () => agent.destroy() }
}

/** Has as many requests under way as in all measurements, until either is reached. */
async function ask(
  target: Target,
  pages: Iterator<CheckedPage, never>,
  until: { readonly ms: number; readonly requests?: number },
) {
  const latenciesMs: number[] = []
  let objects = 0
  const started = performance.now()
  const isOver = (now: number) =>
    now >= started + until.ms || latenciesMs.length >= (until.requests ?? Number.POSITIVE_INFINITY)
  const askOn = async () => {
    for (let now = performance.now(); !isOver(now); ) {
      const page = pages.next().value
      const bytes = await drainBody(target, page.call)
      if (bytes < BYTES_AT_LEAST * page.bytes) throw new Error('a page was not what it was before')
      const answered = performance.now()
      latenciesMs.push(answered - now)
      objects += page.objects
      now = answered
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, askOn))
  return { latenciesMs, objects, seconds: (performance.now() - started) / 1000 }
}

const GOLDEN = (Math.sqrt(5) - 1) / 2

/** Without end, and so that any few in a row lie evenly over the whole walk: depth may cost. */
function* spreadPages(pages: readonly CheckedPage[]): Generator<CheckedPage, never> {
  for (let turn = 0; ; turn++) {
    const page = pages[Math.floor(((turn * GOLDEN) % 1) * pages.length)]
    if (page === undefined) throw new Error('there are no pages to measure')
    yield page
  }
}
