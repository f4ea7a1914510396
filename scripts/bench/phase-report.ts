import type { Measurements, Slice } from './measure.ts'
import type { Comparison, Mark, Measure, PageCase, Phase } from './page-case.ts'
import { median, quantile } from './statistics.ts'
import type { Place } from './walk.ts'

/** Measurements → the figures that are shown. */

export interface PhaseReport {
  readonly title: string
  readonly cases: readonly CaseReport[]
  readonly ratios: readonly RatioReport[]
}

export interface CaseReport {
  readonly kind: string
  readonly place: Place
  readonly at: string
  readonly pageSize: number
  readonly pageBytes: number
  readonly requestsPerSecond: number
  /** Of the server for one page; undefined where the system does not tell. */
  readonly cpuMicros: number | undefined
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface RatioReport {
  readonly name: string
  readonly pageSize: number
  readonly values: Readonly<Record<Measure, number | undefined>>
  /** Of the processor time, round by round. */
  readonly quartiles: readonly [number, number] | undefined
  readonly mark: Mark | undefined
  readonly met: boolean
}

/** Marks are left out where nothing is to be judged. */
export function reportPhase(
  phase: Phase,
  measurements: Measurements,
  judges: boolean,
): PhaseReport {
  const comparisons = judges
    ? phase.comparisons
    : phase.comparisons.map((each) => ({ ...each, mark: undefined }))
  return {
    title: phase.title,
    cases: phase.cases.map((each) => reportCase(each, measurements.get(each) ?? [])),
    ratios: comparisons.map((each) => reportRatio(each, measurements)),
  }
}

function reportCase({ kind, place, at, pageSize }: PageCase, slices: readonly Slice[]): CaseReport {
  const cpu = known(slices.map((slice) => slice.cpuMicros))
  return {
    kind,
    place,
    at,
    pageSize,
    pageBytes: slices[0]?.pageBytes ?? 0,
    requestsPerSecond: median(slices.map((slice) => slice.requestsPerSecond)),
    cpuMicros: cpu && undisturbed(cpu),
    p50Ms: median(slices.map((slice) => slice.p50Ms)),
    p99Ms: quantile(
      slices.flatMap((slice) => slice.latenciesMs),
      0.99,
    ),
  }
}

/**
 * Of times and rates, the two sides in the same round, so that a slow moment of the machine counts
 * for both; of processor time, what each side takes where it is not disturbed.
 */
function reportRatio(comparison: Comparison, measurements: Measurements): RatioReport {
  const { of, to, mark } = comparison
  const others = measurements.get(to) ?? []
  const pairs = (measurements.get(of) ?? []).flatMap((slice, round) => {
    const other = others[round]
    return other === undefined ? [] : [[slice, other] as const]
  })
  const cpu = known(pairs.map(([a, b]) => a.cpuMicros && b.cpuMicros && a.cpuMicros / b.cpuMicros))
  const ofCpu = known(pairs.map(([slice]) => slice.cpuMicros))
  const toCpu = known(pairs.map(([, slice]) => slice.cpuMicros))
  const values = {
    CPU: ofCpu && toCpu && undisturbed(ofCpu) / undisturbed(toCpu),
    p50: median(pairs.map(([a, b]) => a.p50Ms / b.p50Ms)),
    'req/s': median(pairs.map(([a, b]) => a.requestsPerSecond / b.requestsPerSecond)),
  }
  return {
    name: nameOf(comparison),
    pageSize: of.pageSize,
    values,
    quartiles: cpu && [quantile(cpu, 0.25), quantile(cpu, 0.75)],
    mark,
    met: isMet(mark, values),
  }
}

/** Others on the machine only ever add to what something takes: its quieter rounds tell. */
function undisturbed(cpuMicros: readonly number[]): number {
  return quantile(cpuMicros, 0.25)
}

function isMet(mark: Mark | undefined, values: RatioReport['values']): boolean {
  if (mark === undefined) return true
  return mark.measures.every((measure) => {
    const ratio = values[measure]
    if (ratio === undefined) return true
    return mark.bound === 'most' ? ratio <= mark.ratio : ratio >= mark.ratio
  })
}

function nameOf({ of, to }: Comparison): string {
  if (of.kind === to.kind) return `${of.kind}: ${of.at} / ${to.at}`
  if (of.at === to.at) return `${of.kind} / ${to.kind}, ${of.at}`
  return `${of.kind}, ${of.at} / ${to.kind}`
}

/** All or nothing: a system that tells processor time tells it every time. */
function known(numbers: readonly (number | undefined)[]): readonly number[] | undefined {
  const there = numbers.filter((number) => number !== undefined)
  return there.length === numbers.length ? there : undefined
}
