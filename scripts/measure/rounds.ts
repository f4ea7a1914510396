/** Measures cases in many short, interleaved rounds, so that a disturbance affects all of them. */
import { type Call, Connection, type Target } from './connection.ts'
import { cpuBetween, cpuTimes } from './process-stats.ts'
import { showProgress } from './progress.ts'
import { median, quantile } from './statistics.ts'

/** Requests of one kind, sent in turn. */
export interface Case {
  readonly name: string
  readonly server: Target & { readonly pid: number }
  readonly calls: readonly Call[]
  /** Requests in flight; 4 by default. */
  readonly concurrency?: number
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

/** One case in one round. */
export interface Sample {
  readonly requestsPerSecond: number
  /** CPU time of the server per request; undefined where the system does not provide it. */
  readonly cpuMicros: number | undefined
  readonly databaseCpuMicros: number | undefined
  readonly p50Ms: number
  readonly latenciesMs: readonly number[]
  readonly bytes: number
}

export type Samples = ReadonlyMap<Case, readonly Sample[]>

const CONCURRENCY = 4

export async function measureCases(
  cases: readonly Case[],
  options: RoundOptions,
): Promise<Samples> {
  const { rounds, sliceMs, warmUpMs } = options
  const runs = cases.map((each) => ({ each, nextCall: inTurn(each), samples: [] as Sample[] }))
  showProgress('warming up')
  for (const { each, nextCall } of runs) {
    const sharing = cases.filter(({ server }) => server === each.server).length
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
  { server, databasePid, concurrency = CONCURRENCY }: Case,
  nextCall: () => Call,
  sliceMs: number,
): Promise<Sample> {
  const latenciesMs: number[] = []
  let bytes = 0
  // New connections in each round: the server may have closed idle ones.
  using stack = new DisposableStack()
  const open = async () => stack.use(await Connection.open(server))
  const connections = await Promise.all(Array.from({ length: concurrency }, open))
  const readCpu = () => [server.pid, databasePid].map((pid) => cpuTimes(pid ?? 0))
  const before = readCpu()
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
  const after = readCpu()
  const requests = latenciesMs.length
  const [cpu, databaseCpu] = after.map((times, index) => {
    const micros = cpuBetween(before[index] ?? new Map(), times)
    return micros === undefined ? undefined : micros / requests
  })
  return {
    requestsPerSecond: requests / seconds,
    cpuMicros: cpu,
    databaseCpuMicros: databaseCpu,
    p50Ms: quantile(latenciesMs, 0.5),
    latenciesMs,
    bytes,
  }
}

/** A case over all rounds. */
export interface Summary {
  readonly bytes: number
  readonly requestsPerSecond: number
  readonly cpuMicros: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export function summarise(samples: readonly Sample[]): Summary {
  return {
    bytes: samples[0]?.bytes ?? 0,
    requestsPerSecond: median(samples.map((each) => each.requestsPerSecond)),
    cpuMicros: undisturbedCpu(samples),
    p50Ms: median(samples.map((each) => each.p50Ms)),
    p99Ms: quantile(
      samples.flatMap((each) => each.latenciesMs),
      0.99,
    ),
  }
}

/** One case divided by another. */
export interface Ratio {
  readonly CPU: number
  /** Quartiles of the CPU ratio of single rounds: far apart on a busy machine. */
  readonly quartiles: readonly [number, number]
  readonly p50: number
  readonly 'req/s': number
}

/** CPU compares undisturbed rounds; p50 and req/s compare the two sides within each round. */
export function ratioOf(of: readonly Sample[] = [], to: readonly Sample[] = []): Ratio {
  const byRound = (value: (sample: Sample) => number | undefined) =>
    of.map((sample, round) => {
      const other = to[round]
      return (value(sample) ?? Number.NaN) / ((other && value(other)) ?? Number.NaN)
    })
  const cpu = byRound((sample) => sample.cpuMicros)
  return {
    CPU: undisturbedCpu(of) / undisturbedCpu(to),
    quartiles: [quantile(cpu, 0.25), quantile(cpu, 0.75)],
    p50: median(byRound((sample) => sample.p50Ms)),
    'req/s': median(byRound((sample) => sample.requestsPerSecond)),
  }
}

/** Other programs only ever add CPU time, so the lower quartile is closest to the true cost. */
function undisturbedCpu(samples: readonly Sample[]): number {
  return quantile(
    samples.map(({ cpuMicros }) => cpuMicros ?? Number.NaN),
    0.25,
  )
}
