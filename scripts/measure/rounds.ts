/** Measures cases in many short, interleaved rounds, so that a disturbance affects all of them. */
import { type Call, Connection, type Target } from './connection.ts'
import { cpuBetween, cpuTimes } from './process-stats.ts'
import { showProgress } from './report.ts'
import { median, quantile } from './statistics.ts'

/** Requests of one kind, sent in turn. */
export interface Case {
  readonly name: string
  readonly server: Target & { readonly pid: number }
  readonly calls: readonly Call[]
  /** Another process whose CPU time is measured, such as a database server. */
  readonly databasePid?: number | undefined
}

export interface RoundOptions {
  readonly rounds: number
  /** The time for each case in each round. */
  readonly sliceMs: number
  /** The time that each server gets before the first round, divided among its cases. */
  readonly warmUpMs: number
}

/** One case in one round. CPU times are per request; NaN where the system does not provide them. */
export interface Sample {
  readonly requestsPerSecond: number
  readonly cpuMicros: number
  readonly databaseMicros: number
  readonly p50Ms: number
  readonly latenciesMs: readonly number[]
  readonly bytes: number
}

export type Samples = ReadonlyMap<Case, readonly Sample[]>

/** Requests in flight. */
const CONCURRENCY = 4

export async function measureCases(
  cases: readonly Case[],
  { rounds, sliceMs, warmUpMs }: RoundOptions,
): Promise<Samples> {
  const runs = cases.map((each) => ({ each, nextCall: inTurn(each), samples: [] as Sample[] }))
  showProgress('warming up')
  for (const { each, nextCall } of runs) {
    const sharing = cases.filter(({ server }) => server.pid === each.server.pid).length
    await measureSlice(each, nextCall, Math.max(2 * sliceMs, warmUpMs / sharing))
  }
  for (let round = 1; round <= rounds; round++) {
    showProgress(`measuring: round ${round} of ${rounds}`)
    // The order alternates, so that a slow drift affects both sides of a comparison.
    for (const { each, nextCall, samples } of round % 2 === 1 ? runs : runs.toReversed()) {
      samples.push(await measureSlice(each, nextCall, sliceMs))
    }
  }
  return new Map(runs.map(({ each, samples }) => [each, samples]))
}

/** Continues from round to round, so that every request is sent about equally often. */
function inTurn({ calls }: Case): () => Call {
  let next = 0
  return () => {
    next += 1
    return calls[next % calls.length] as Call
  }
}

async function measureSlice(
  { server, databasePid = 0 }: Case,
  nextCall: () => Call,
  sliceMs: number,
): Promise<Sample> {
  const latenciesMs: number[] = []
  let bytes = 0
  // New connections in each round: the server may have closed idle ones.
  using stack = new DisposableStack()
  const open = async () => stack.use(await Connection.open(server))
  const connections = await Promise.all(Array.from({ length: CONCURRENCY }, open))
  const before = [cpuTimes(server.pid), cpuTimes(databasePid)] as const
  const started = performance.now()
  const send = async (connection: Connection) => {
    for (let now = performance.now(); now < started + sliceMs; ) {
      bytes = await connection.drain(nextCall())
      const received = performance.now()
      latenciesMs.push(received - now)
      now = received
    }
  }
  await Promise.all(connections.map(send))
  const seconds = (performance.now() - started) / 1000
  const requests = latenciesMs.length
  return {
    requestsPerSecond: requests / seconds,
    cpuMicros: cpuBetween(before[0], cpuTimes(server.pid)) / requests,
    databaseMicros: cpuBetween(before[1], cpuTimes(databasePid)) / requests,
    p50Ms: median(latenciesMs),
    latenciesMs,
    bytes,
  }
}

/** A case over all rounds. */
export type Summary = Omit<Sample, 'latenciesMs'> & { readonly p99Ms: number }

export function summarise(samples: readonly Sample[]): Summary {
  const medianOf = (key: 'requestsPerSecond' | 'databaseMicros' | 'p50Ms') =>
    median(samples.map((sample) => sample[key]))
  const latencies = samples.flatMap(({ latenciesMs }) => latenciesMs)
  return {
    bytes: samples[0]?.bytes ?? 0,
    requestsPerSecond: medianOf('requestsPerSecond'),
    // Other programs only ever add CPU time, so the lower quartile is closest to the true cost.
    cpuMicros: quantile(
      samples.map(({ cpuMicros }) => cpuMicros),
      0.25,
    ),
    databaseMicros: medianOf('databaseMicros'),
    p50Ms: medianOf('p50Ms'),
    p99Ms: quantile(latencies, 0.99),
  }
}

/** One case divided by another. */
export interface Ratio {
  readonly CPU: number
  readonly p50: number
  readonly 'req/s': number
}

/** CPU compares undisturbed rounds, with the database where that is measured; p50 and req/s compare the two sides within each round. */
export function ratioOf(of: readonly Sample[] = [], to: readonly Sample[] = []): Ratio {
  const byRound = (key: 'p50Ms' | 'requestsPerSecond') =>
    median(of.map((sample, round) => sample[key] / (to[round]?.[key] ?? Number.NaN)))
  const cpuOf = (samples: readonly Sample[]) => {
    const { cpuMicros, databaseMicros } = summarise(samples)
    return cpuMicros + (databaseMicros || 0)
  }
  return {
    CPU: cpuOf(of) / cpuOf(to),
    p50: byRound('p50Ms'),
    'req/s': byRound('requestsPerSecond'),
  }
}
