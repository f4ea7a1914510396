import type { Measurements, Slice } from './measure.ts'
import type { Comparison, PageCase, Phase } from './phases.ts'
import { median, quantile } from './statistics.ts'
import { PAGE_SIZES } from './walk.ts'

/** Measurements → tables for people. */

const NAME_WIDTH = 50
const NUMBER_WIDTH = 12

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
    const comparisons = phase.comparisons.filter(({ of }) => of.pageSize === pageSize)
    console.log(
      `\n${row(`Ratios, pages of ${count(pageSize)}`, ['CPU', 'quartiles', 'p50', 'at most'])}`,
    )
    for (const each of comparisons) {
      const ratios = ratiosOf(each, measurements)
      const met = isMet(each, ratios)
      allMet &&= met
      console.log(ratioRow(each, ratios, met))
    }
  }
  return allMet
}

function caseRow({ kind, page }: PageCase, slices: readonly Slice[]): string {
  const cpu = known(slices.map((slice) => slice.cpuMicros))
  const latencies = slices.flatMap((slice) => slice.latenciesMs)
  return row(`${kind}, page ${count(page)}`, [
    ((slices[0]?.pageBytes ?? 0) / 1000).toFixed(1),
    count(Math.round(median(slices.map((slice) => slice.requestsPerSecond)))),
    cpu === undefined ? '-' : count(Math.round(median(cpu))),
    median(slices.map((slice) => slice.p50Ms)).toFixed(2),
    quantile(latencies, 0.99).toFixed(2),
  ])
}

interface Ratios {
  /** One for each round. */
  readonly cpu: readonly number[] | undefined
  readonly p50: readonly number[]
}

/** Of the two sides in the same round, so that a slow moment of the machine counts for both. */
function ratiosOf({ of, to }: Comparison, measurements: Measurements): Ratios {
  const base = measurements.get(to) ?? []
  const pairs = (measurements.get(of) ?? []).flatMap((slice, round) => {
    const other = base[round]
    return other === undefined ? [] : [[slice, other] as const]
  })
  return {
    cpu: known(pairs.map(([a, b]) => a.cpuMicros && b.cpuMicros && a.cpuMicros / b.cpuMicros)),
    p50: pairs.map(([a, b]) => a.p50Ms / b.p50Ms),
  }
}

function isMet({ atMost }: Comparison, { cpu, p50 }: Ratios): boolean {
  if (atMost === undefined) return true
  return (cpu === undefined || median(cpu) <= atMost) && median(p50) <= atMost
}

function ratioRow(comparison: Comparison, { cpu, p50 }: Ratios, met: boolean): string {
  const { atMost } = comparison
  const quartiles = cpu && [0.25, 0.75].map((share) => quantile(cpu, share).toFixed(2)).join('-')
  return row(comparisonName(comparison), [
    cpu === undefined ? '-' : median(cpu).toFixed(2),
    quartiles ?? '-',
    median(p50).toFixed(2),
    ...(atMost === undefined ? [] : [atMost.toFixed(2), met ? 'pass' : 'FAIL']),
  ])
}

function comparisonName({ of, to }: Comparison): string {
  if (of.kind === to.kind) return `${of.kind}: page ${count(of.page)} / page ${count(to.page)}`
  return `page ${count(of.page)}: ${of.kind} / ${to.kind}`
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
