import { treeCpuMicros } from './cpu-time.ts'
import { type Call, readBody } from './http-client.ts'
import { LeanConnection } from './lean-connection.ts'
import { type PartProperties, partNumber } from './objects.ts'
import { type BenchOptions, CONCURRENCY } from './options.ts'
import type { PageCase } from './page-case.ts'
import type { MeasuredProcess } from './processes.ts'
import { showProgress } from './progress.ts'
import { quantile } from './statistics.ts'

/** Measures cases in many short rounds, so that whatever disturbs the machine disturbs them all. */

/** One case in one round. */
export interface Slice {
  readonly requestsPerSecond: number
  /** Processor time of the server for one page. */
  readonly cpuMicros: number | undefined
  readonly p50Ms: number
  readonly latenciesMs: readonly number[]
  readonly pageBytes: number
}

export type Measurements = ReadonlyMap<PageCase, readonly Slice[]>

/**
 * Servers that were measured before. Hundreds of thousands of requests pass before the last of the
 * code of a server is compiled for good, on cores that are all taken.
 */
const warmed = new WeakSet<MeasuredProcess>()
/** How much longer a server is warmed up for the first time. */
const FIRST_TIMES = 3

export async function measureRounds(
  cases: readonly PageCase[],
  { rounds, sliceMs, warmUpMs }: Pick<BenchOptions, 'rounds' | 'sliceMs' | 'warmUpMs'>,
): Promise<Measurements> {
  const askers = cases.map((each) => ({ each, nextCall: inTurn(each.calls) }))
  const slices = new Map<PageCase, Slice[]>(cases.map((each) => [each, []]))
  showProgress('warming up')
  for (const { each, nextCall } of askers) {
    await checkPage(each)
    const casesOfServer = cases.filter(({ server }) => server === each.server).length
    const times = warmed.has(each.server) ? 1 : FIRST_TIMES
    await measureSlice(each, nextCall, Math.max(2 * sliceMs, (times * warmUpMs) / casesOfServer))
  }
  for (const { server } of cases) warmed.add(server)
  for (let round = 1; round <= rounds; round++) {
    showProgress(`measuring: round ${round} of ${rounds}`)
    // Forth and back: what changes slowly weighs on both sides of a comparison.
    for (const { each, nextCall } of round % 2 === 1 ? askers : askers.toReversed()) {
      slices.get(each)?.push(await measureSlice(each, nextCall, sliceMs))
    }
  }
  return slices
}

/** Goes on from slice to slice, so that every page has its turn. */
function inTurn(calls: readonly Call[]): () => Call {
  let next = 0
  return () => {
    const call = calls[next % calls.length]
    if (call === undefined) throw new Error('a case without requests')
    next += 1
    return call
  }
}

async function measureSlice(
  { server }: PageCase,
  nextCall: () => Call,
  sliceMs: number,
): Promise<Slice> {
  const latenciesMs: number[] = []
  let pageBytes = 0
  // New ones: while others had their turn, the server may have closed those of the last one.
  using connections = new DisposableStack()
  const open = async () => connections.use(await LeanConnection.open(server))
  const opened = await Promise.all(Array.from({ length: CONCURRENCY }, open))
  const cpuBefore = treeCpuMicros(server.pid)
  const started = performance.now()
  const end = started + sliceMs
  const ask = async (connection: LeanConnection) => {
    for (let now = performance.now(); now < end; ) {
      pageBytes = await connection.ask(nextCall())
      const answered = performance.now()
      latenciesMs.push(answered - now)
      now = answered
    }
  }
  await Promise.all(opened.map(ask))
  const seconds = (performance.now() - started) / 1000
  const cpuAfter = treeCpuMicros(server.pid)

  const requests = latenciesMs.length
  return {
    requestsPerSecond: requests / seconds,
    cpuMicros:
      cpuBefore === undefined || cpuAfter === undefined
        ? undefined
        : (cpuAfter - cpuBefore) / requests,
    p50Ms: quantile(latenciesMs, 0.5),
    latenciesMs,
    pageBytes,
  }
}

/** A measurement of the wrong page would look like a good one. */
async function checkPage({ kind, at, pageSize, server, calls, expects }: PageCase): Promise<void> {
  const [call] = calls
  if (expects === undefined || call === undefined) return
  const { data } = JSON.parse((await readBody(server, call)).toString()) as {
    readonly data: readonly { readonly properties: PartProperties }[]
  }
  const { first } = expects
  const properties = data[0]?.properties
  const beginsRight =
    first === undefined ||
    (properties?.partNumber === partNumber(first.number) && properties.revision === first.revision)
  if (data.length !== pageSize || !beginsRight) {
    const found = `${data.length} objects from ${properties?.partNumber}`
    throw new Error(`${kind}, ${at}: ${found}, revision ${properties?.revision}`)
  }
}
