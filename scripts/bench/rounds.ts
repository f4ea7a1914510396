import { cpuMicros } from './cpu-time.ts'
import { type Call, drainBody } from './http-client.ts'
import type { MeasuredProcess } from './processes.ts'
import { showProgress } from './progress.ts'
import { median } from './statistics.ts'

/** Measures many cases in short rounds, so that whatever disturbs the machine disturbs them all. */

/** Requests that are under way at any time, where a case says nothing else. */
export const CONCURRENCY = 4

export interface RoundCase {
  readonly server: MeasuredProcess
  /** A request of the case; another one each time, where the case says so. */
  readonly next: () => Call
  readonly concurrency?: number
}

/** A case in one round. */
export interface Round {
  readonly requestsPerSecond: number
  /** Processor time of the server for one request; NaN where the system does not tell. */
  readonly cpuMicros: number
  readonly latencyMs: number
}

export interface RoundOptions {
  readonly rounds: number
  readonly sliceMs: number
}

/** Enough for the code of a case to be compiled and its rows to be in memory. */
const WARM_UP_SLICES = 3

export async function measureInRounds<Case extends RoundCase>(
  cases: readonly Case[],
  { rounds, sliceMs }: RoundOptions,
): Promise<ReadonlyMap<Case, readonly Round[]>> {
  const results = new Map<Case, Round[]>(cases.map((each) => [each, []]))
  showProgress('warming up')
  for (const each of cases) await measureSlice(each, WARM_UP_SLICES * sliceMs)
  for (let round = 1; round <= rounds; round++) {
    showProgress(`measuring: round ${round} of ${rounds}`)
    // Forth and back: what changes slowly weighs on both sides of a comparison.
    for (const each of round % 2 === 1 ? cases : cases.toReversed()) {
      results.get(each)?.push(await measureSlice(each, sliceMs))
    }
  }
  return results
}

async function measureSlice(
  { server, next, concurrency = CONCURRENCY }: RoundCase,
  sliceMs: number,
): Promise<Round> {
  let requests = 0
  const cpuBefore = cpuMicros(server.pid)
  const started = performance.now()
  const ask = async () => {
    while (performance.now() < started + sliceMs) {
      await drainBody(server, next())
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, ask))
  const milliseconds = performance.now() - started
  const cpuAfter = cpuMicros(server.pid)
  return {
    requestsPerSecond: (1000 * requests) / milliseconds,
    cpuMicros: ((cpuAfter ?? Number.NaN) - (cpuBefore ?? Number.NaN)) / requests,
    latencyMs: (concurrency * milliseconds) / requests,
  }
}

/** The median over the rounds of what one side took beside the other in the same round. */
export function medianRatio(
  of: readonly Round[],
  to: readonly Round[],
  figure: keyof Round,
): number {
  return median(of.map((round, index) => round[figure] / (to[index]?.[figure] ?? Number.NaN)))
}
