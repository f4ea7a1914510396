import { cpuMicros } from './cpu-time.ts'
import { drainBody, readBody } from './http-client.ts'
import { type PartProperties, partNumber } from './objects.ts'
import type { BenchOptions } from './options.ts'
import { CONCURRENCY } from './options.ts'
import type { PageCase } from './phases.ts'
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

/** Enough for the code of a case to be compiled and its rows to be in memory. */
const WARM_UP_SLICES = 3

export type Measurements = ReadonlyMap<PageCase, readonly Slice[]>

export async function measureRounds(
  cases: readonly PageCase[],
  { rounds, sliceMs }: BenchOptions,
): Promise<Measurements> {
  const slices = new Map<PageCase, Slice[]>(cases.map((each) => [each, []]))
  showProgress('warming up')
  for (const each of cases) {
    await checkPage(each)
    await measureSlice(each, WARM_UP_SLICES * sliceMs)
  }
  for (let round = 1; round <= rounds; round++) {
    showProgress(`measuring: round ${round} of ${rounds}`)
    // Forth and back: what changes slowly weighs on both sides of a comparison.
    for (const each of round % 2 === 1 ? cases : cases.toReversed()) {
      slices.get(each)?.push(await measureSlice(each, sliceMs))
    }
  }
  return slices
}

async function measureSlice({ server, call }: PageCase, sliceMs: number): Promise<Slice> {
  const latenciesMs: number[] = []
  let pageBytes = 0
  const cpuBefore = cpuMicros(server.pid)
  const started = performance.now()
  const end = started + sliceMs
  const ask = async () => {
    for (let now = performance.now(); now < end; ) {
      pageBytes = await drainBody(server, call)
      const answered = performance.now()
      latenciesMs.push(answered - now)
      now = answered
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, ask))
  const seconds = (performance.now() - started) / 1000
  const cpuAfter = cpuMicros(server.pid)

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
async function checkPage({ kind, page, pageSize, server, call, begins }: PageCase): Promise<void> {
  if (begins === undefined) return
  const { data } = JSON.parse((await readBody(server, call)).toString()) as {
    readonly data: readonly { readonly properties: PartProperties }[]
  }
  const properties = data[0]?.properties
  const right =
    data.length === pageSize &&
    properties?.partNumber === partNumber(begins.number) &&
    properties.revision === begins.revision
  if (!right) {
    const found = `${data.length} objects from ${properties?.partNumber}`
    throw new Error(`${kind}, page ${page}: ${found}, revision ${properties?.revision}`)
  }
}
