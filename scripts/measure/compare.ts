/**
 * Measures cases in many short, interleaved rounds, so that a disturbance affects all of them, and
 * compares the same cases on several sides.
 */
import { type Call, Connection, type Target } from './connection.ts'
import { cpuSince, cpuTimes } from './processes.ts'
import { count, geometricMean, median, quantile, showProgress, type Table } from './report.ts'

/** Requests of one kind, sent in turn. */
export interface Case {
  readonly name: string
  readonly server: Target & { readonly pid: number }
  readonly calls: readonly Call[]
  /** Another process whose CPU time is measured, such as a database server. */
  readonly databasePid?: number | undefined
  /** Called before each round. */
  readonly before?: () => void
}

export interface RoundOptions {
  readonly rounds: number
  /** The time for each case in each round. */
  readonly sliceMs: number
  /** The time that each server gets before the first round, divided among its cases. */
  readonly warmUpMs: number
}

/** One case in one round. CPU times are per request; NaN where the system does not provide them. */
type Sample = Awaited<ReturnType<typeof measureSlice>>

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
  { server, databasePid = 0, before }: Case,
  nextCall: () => Call,
  sliceMs: number,
) {
  before?.()
  const latenciesMs: number[] = []
  let bytes = 0
  // New connections in each round: the server may have closed idle ones.
  using stack = new DisposableStack()
  const open = async () => stack.use(await Connection.open(server))
  const connections = await Promise.all(Array.from({ length: CONCURRENCY }, open))
  const [ofServer, ofDatabase] = [cpuTimes(server.pid), cpuTimes(databasePid)]
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
    cpuMicros: cpuSince(ofServer, server.pid) / requests,
    databaseMicros: cpuSince(ofDatabase, databasePid) / requests,
    p50Ms: median(latenciesMs),
    latenciesMs,
    bytes,
  }
}

/** Returns a case over all rounds. */
function summarise(samples: readonly Sample[]) {
  const each = (key: Exclude<keyof Sample, 'latenciesMs'>) => samples.map((sample) => sample[key])
  return {
    bytes: samples[0]?.bytes ?? 0,
    requestsPerSecond: median(each('requestsPerSecond')),
    // Other programs only ever add CPU time, so the lower quartile is closest to the true cost.
    cpuMicros: quantile(each('cpuMicros'), 0.25),
    databaseMicros: median(each('databaseMicros')),
    p50Ms: median(each('p50Ms')),
    p99Ms: quantile(
      samples.flatMap(({ latenciesMs }) => latenciesMs),
      0.99,
    ),
  }
}

export function caseTable(samples: Samples): Table {
  const rows = [...samples].map(([{ name }, own]) => {
    const { bytes, requestsPerSecond, cpuMicros, p50Ms, p99Ms } = summarise(own)
    const times = [count(cpuMicros), p50Ms.toFixed(2), p99Ms.toFixed(2)]
    return [name, (bytes / 1000).toFixed(1), count(requestsPerSecond), ...times]
  })
  return [['Case', 'kB', 'req/s', 'CPU µs', 'p50 ms', 'p99 ms'], ...rows]
}

/** One case divided by another. */
export type Ratio = Readonly<Record<'CPU' | 'p50' | 'req/s', number>>

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

/** One of several things that are compared: a checkout, a size of the store, a setting. */
export interface Side {
  readonly name: string
  readonly cases: readonly Case[]
}

export interface Comparison {
  readonly table: Table
  /** Returns the mean over cases of a side's ratio to the first side. */
  mean(side: Side, measure: 'CPU' | 'p50', isCounted?: (name: string) => boolean): number
}

/** Measures all sides in the same rounds, and divides each by the first. */
export async function compareSides(
  sides: readonly Side[],
  options: RoundOptions,
): Promise<Comparison> {
  const [base, ...others] = sides as readonly [Side, ...Side[]]
  const find = (side: Side, name: string) => side.cases.filter((each) => each.name === name)
  const shared = base.cases
    .map(({ name }) => name)
    .filter((name) => sides.every((side) => find(side, name).length > 0))
  // The sides of one case follow each other closely, because they are compared.
  const cases = shared.flatMap((name) => sides.flatMap((side) => find(side, name)))
  const samples = await measureCases(cases, options)
  const samplesOf = (side: Side, name: string) =>
    find(side, name).flatMap((own) => samples.get(own) ?? [])
  const ratio = (side: Side, name: string) => ratioOf(samplesOf(side, name), samplesOf(base, name))
  const mean: Comparison['mean'] = (side, measure, isCounted = () => true) =>
    geometricMean(shared.filter(isCounted).map((name) => ratio(side, name)[measure]))
  const ratios = (of: (side: Side) => readonly number[]) =>
    others.flatMap(of).map((value) => value.toFixed(2))
  // The CPU time of the server, and of its database where that is measured.
  const cpuCell = (side: Side, name: string) => {
    const { cpuMicros, databaseMicros } = summarise(samplesOf(side, name))
    return [cpuMicros, databaseMicros]
      .filter((micros) => !Number.isNaN(micros))
      .map((micros) => count(micros))
      .join(' + ')
  }
  const table: Table = [
    [
      'Case',
      ...sides.map(({ name }) => `${name}, CPU µs`),
      ...others.flatMap(({ name }) => [`${name} CPU ×`, 'p50 ×']),
    ],
    ...shared.map((name) => [
      name,
      ...sides.map((side) => cpuCell(side, name)),
      ...ratios((side) => [ratio(side, name).CPU, ratio(side, name).p50]),
    ]),
    [
      'geometric mean of all cases',
      ...sides.map(() => ''),
      ...ratios((side) => [mean(side, 'CPU'), mean(side, 'p50')]),
    ],
  ]
  return { table, mean }
}
