import type { Measurements, Slice } from './measure.ts'
import type { Comparison, PageCase, Phase } from './phases.ts'
import { median, quantile } from './statistics.ts'
import { PAGE_SIZES } from './walk.ts'

/** Measurements → tables for people. */

const NAME_WIDTH = 66
const NUMBER_WIDTH = 9

export function printTables(phase: Phase, measurements: Measurements): void {
  console.log(`\n# ${phase.title}`)
  for (const pageSize of PAGE_SIZES) {
    const cases = phase.cases.filter((each) => each.pageSize === pageSize)
    console.log(
      `\n${row(`Pages of ${count(pageSize)}`, ['kB', 'req/s', 'CPU µs', 'p50 ms', 'p99 ms'])}`,
    )
    for (const each of cases) console.log(caseRow(each, measurements.get(each) ?? []))
  }
}

/** Prints every ratio; gives whether all that have a target meet it. */
export function printComparisons(phase: Phase, measurements: Measurements): boolean {
  let allMet = true
  for (const pageSize of PAGE_SIZES) {
    const comparisons = phase.comparisons.filter((each) => each.pageSize === pageSize)
    console.log(`\n${row(`Ratios, pages of ${count(pageSize)}`, ['CPU', 'p50', 'target'])}`)
    for (const each of comparisons) {
      const ratios = ratiosOf(each, measurements)
      const met = isMet(each, ratios)
      allMet &&= met
      console.log(ratioRow(each, ratios, met))
    }
  }
  return allMet
}

function caseRow({ name }: PageCase, slices: readonly Slice[]): string {
  const cpu = known(slices.map((slice) => slice.cpuMicros))
  const latencies = slices.flatMap((slice) => slice.latenciesMs)
  return row(name, [
    ((slices[0]?.pageBytes ?? 0) / 1000).toFixed(1),
    count(Math.round(median(slices.map((slice) => slice.requestsPerSecond)))),
    cpu === undefined ? '-' : count(Math.round(median(cpu))),
    median(slices.map((slice) => slice.p50Ms)).toFixed(2),
    quantile(latencies, 0.99).toFixed(2),
  ])
}

interface Ratios {
  readonly cpu: number | undefined
  readonly p50: number
}

/** Of the two sides in the same round, so that a slow moment of the machine counts for both. */
function ratiosOf({ of, to }: Comparison, measurements: Measurements): Ratios {
  const base = measurements.get(to) ?? []
  const pairs = (measurements.get(of) ?? []).flatMap((slice, round) => {
    const other = base[round]
    return other === undefined ? [] : [[slice, other] as const]
  })
  const cpu = known(
    pairs.map(([a, b]) =>
      a.cpuMicros === undefined || b.cpuMicros === undefined
        ? undefined
        : a.cpuMicros / b.cpuMicros,
    ),
  )
  return {
    cpu: cpu && median(cpu),
    p50: median(pairs.map(([a, b]) => a.p50Ms / b.p50Ms)),
  }
}

function isMet({ atMost }: Comparison, { cpu, p50 }: Ratios): boolean {
  return atMost === undefined || ((cpu === undefined || cpu <= atMost) && p50 <= atMost)
}

function ratioRow({ name, atMost }: Comparison, { cpu, p50 }: Ratios, met: boolean): string {
  const verdict = met ? 'pass' : 'FAIL'
  const target = atMost === undefined ? '' : `≤ ${atMost.toFixed(2)}  ${verdict}`
  return `${row(name, [cpu?.toFixed(2) ?? '-', p50.toFixed(2)])}   ${target}`.trimEnd()
}

/** All or nothing: a system that tells processor time tells it every time. */
function known(numbers: readonly (number | undefined)[]): readonly number[] | undefined {
  const there = numbers.filter((number) => number !== undefined)
  return there.length === numbers.length ? there : undefined
}

function row(name: string, cells: readonly string[]): string {
  return name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join('')
}

function count(number: number): string {
  return number.toLocaleString('en')
}
