/** Compares the same cases on several sides: two checkouts, or stores of several sizes. */
import { type Case, measureCases, type RoundOptions, ratioOf, summarise } from './rounds.ts'
import { geometricMean } from './statistics.ts'
import { count, type Table } from './table.ts'

export interface Side {
  readonly name: string
  readonly cases: readonly Case[]
}

export interface SidesReport {
  readonly table: Table
  /** Returns the mean over cases of a side's ratio to the base. */
  mean(side: Side, measure: 'CPU' | 'p50', isCounted?: (name: string) => boolean): number
}

/** Measures all sides in the same rounds, and divides each by the base. */
export async function compareSides(
  sides: readonly Side[],
  base: Side,
  options: RoundOptions,
): Promise<SidesReport> {
  const others = sides.filter((side) => side !== base)
  const names = base.cases.map(({ name }) => name)
  const find = (side: Side, name: string) => side.cases.find((each) => each.name === name)
  const shared = names.filter((name) => sides.every((side) => find(side, name) !== undefined))
  // The sides of one case follow each other closely, because they are compared.
  const cases = shared.flatMap((name) => sides.flatMap((side) => find(side, name) ?? []))
  const samples = await measureCases(cases, options)
  const samplesOf = (side: Side, name: string) => {
    const own = find(side, name)
    return (own && samples.get(own)) ?? []
  }
  const ratio = (side: Side, name: string) => ratioOf(samplesOf(side, name), samplesOf(base, name))
  const mean: SidesReport['mean'] = (side, measure, isCounted = () => true) =>
    geometricMean(shared.filter(isCounted).map((name) => ratio(side, name)[measure]))
  const columns = others.flatMap(({ name }) => [`${name} CPU ×`, 'by round', 'p50 ×'])
  const means = others.flatMap((side) => [mean(side, 'CPU'), Number.NaN, mean(side, 'p50')])
  const table: Table = [
    ['Case', ...sides.map(({ name }) => `${name} µs`), ...columns],
    ...shared.map((name) => [
      name,
      ...sides.map((side) => count(summarise(samplesOf(side, name)).cpuMicros)),
      ...others.flatMap((side) => {
        const { CPU, quartiles, p50 } = ratio(side, name)
        const byRound = quartiles.map((value) => value.toFixed(2)).join('-')
        return [CPU.toFixed(2), byRound, p50.toFixed(2)]
      }),
    ]),
    [
      'geometric mean of all cases',
      ...sides.map(() => ''),
      ...means.map((value) => (Number.isNaN(value) ? '' : value.toFixed(2))),
    ],
  ]
  return { table, mean }
}
