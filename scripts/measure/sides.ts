/** Tables of measured cases, and comparisons of the same cases on several sides. */
import { count, type Table } from './report.ts'
import {
  type Case,
  measureCases,
  type RoundOptions,
  ratioOf,
  type Sample,
  type Samples,
  summarise,
} from './rounds.ts'
import { geometricMean } from './statistics.ts'

export function caseTable(samples: Samples): Table {
  const rows = [...samples].map(([{ name }, own]) => {
    const { bytes, requestsPerSecond, cpuMicros, p50Ms, p99Ms } = summarise(own)
    const times = [count(cpuMicros), p50Ms.toFixed(2), p99Ms.toFixed(2)]
    return [name, (bytes / 1000).toFixed(1), count(requestsPerSecond), ...times]
  })
  return [['Case', 'kB', 'req/s', 'CPU µs', 'p50 ms', 'p99 ms'], ...rows]
}

/** The CPU time of the server, and of its database where that is measured. */
function cpuCell(samples: readonly Sample[]): string {
  const { cpuMicros, databaseMicros } = summarise(samples)
  const database = Number.isNaN(databaseMicros) ? '' : ` + ${count(databaseMicros)}`
  return `${count(cpuMicros)}${database}`
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
  const [base, ...others] = sides
  const find = (side: Side | undefined, name: string) =>
    side?.cases.find((each) => each.name === name)
  const names = base?.cases.map(({ name }) => name) ?? []
  const shared = names.filter((name) => sides.every((side) => find(side, name) !== undefined))
  // The sides of one case follow each other closely, because they are compared.
  const cases = shared.flatMap((name) => sides.flatMap((side) => find(side, name) ?? []))
  const samples = await measureCases(cases, options)
  const samplesOf = (side: Side | undefined, name: string) => {
    const own = find(side, name)
    return (own && samples.get(own)) ?? []
  }
  const ratio = (side: Side, name: string) => ratioOf(samplesOf(side, name), samplesOf(base, name))
  const mean: Comparison['mean'] = (side, measure, isCounted = () => true) =>
    geometricMean(shared.filter(isCounted).map((name) => ratio(side, name)[measure]))
  const ratios = (of: (side: Side) => readonly [cpu: number, p50: number]) =>
    others.flatMap(of).map((value) => value.toFixed(2))
  const table: Table = [
    [
      'Case',
      ...sides.map(({ name }) => `${name} µs`),
      ...others.flatMap(({ name }) => [`${name} CPU ×`, 'p50 ×']),
    ],
    ...shared.map((name) => [
      name,
      ...sides.map((side) => cpuCell(samplesOf(side, name))),
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
