import { describe, expect, it } from 'vitest'
import type { Grouping, Metric } from '../../../query/aggregation/aggregation.ts'
import type { Query } from '../../../query/query.ts'
import { bitsFor, CHUNK, clearBit, fillBits } from '../arrays/bits.ts'
import { compileFilter } from '../filter/compile-filter.ts'
import { EVERYTHING as EVERY_ROW } from '../filter/filter.ts'
import { SegmentBuilder } from '../segment/build-segment.ts'
import type { ColumnSpec } from '../segment/column.ts'
import { Segment } from '../segment/segment.ts'
import { Aggregator } from './aggregator.ts'

interface Row {
  readonly name: string | undefined
  readonly whole: number | undefined
  readonly double: number
  readonly list: readonly number[]
}

const SPECS = [
  { property: 'name', structField: undefined, type: 'string', isList: false },
  { property: 'whole', structField: undefined, type: 'integer', isList: false },
  { property: 'double', structField: undefined, type: 'double', isList: false },
  { property: 'list', structField: undefined, type: 'integer', isList: true },
] as const satisfies readonly ColumnSpec[]

/** Rows of several chunks, the same in every run. */
const ROWS = Array.from({ length: 3 * CHUNK + 100 }, (_, n): Row => {
  const mixed = Math.imul(n + 1, 0x9e37_79b1) >>> 0
  return {
    name: mixed % 11 === 0 ? undefined : `name ${mixed % 7}`,
    whole: mixed % 13 === 0 ? undefined : 1000 + (mixed % 5000),
    double: n === CHUNK ? Number.NaN : n % 5 === 0 ? -0.5 * n : (mixed % 40_000) / 8,
    list: Array.from({ length: mixed % 3 }, (_, at) => (mixed >>> at) % 20),
  }
})
/** The second segment has other texts and larger numbers. */
const SEGMENTS = [
  ROWS,
  ROWS.slice(0, 500).map((row) => ({
    ...row,
    name: `other ${row.name}`,
    whole: (row.whole ?? 0) * 1e4,
  })),
]

function segmentOf(rows: readonly Row[]): Segment {
  const builder = new SegmentBuilder(SPECS, { kind: 'rows', rows: rows.length })
  for (const [n, { name, whole, double, list }] of rows.entries()) {
    const key = String(n).padStart(9, '0')
    builder.add({ key, validFrom: 1, values: [name, whole, double, list] })
  }
  const { buffer, place } = builder.finish()
  return new Segment(buffer, place)
}

const segments = SEGMENTS.map(segmentOf)

/** Returns the metrics of all groups by the key of the first grouping. */
function aggregate(
  query: Query,
  groupings: readonly Grouping[],
  metrics: readonly Metric[],
  isHidden: (position: number) => boolean = () => false,
) {
  const filters = compileFilter(query, {
    objectType: undefined as never,
    segments,
    patternTest: () => () => false,
    linkedValues: () => undefined,
  })
  const aggregator = new Aggregator({ groupings, metrics })
  for (const [at, segment] of segments.entries()) {
    const visible = bitsFor(segment.size)
    fillBits(visible, segment.size)
    for (let position = 0; position < segment.size; position += 1) {
      if (isHidden(position)) clearBit(visible, position)
    }
    const filter = filters?.[at]
    if (filter === undefined) throw new Error('columns answer the query')
    expect(aggregator.add({ segment, visible, filter }, () => {})).toBe(true)
  }
  const { groups, keysOf, metricsOf } = aggregator.finish()
  return Object.fromEntries(groups.map((group) => [keysOf(group).join(), metricsOf(group)]))
}

const BY_NAME: Grouping = { kind: 'exact', property: 'name', type: 'string', maxGroups: undefined }
const METRICS: readonly Metric[] = [
  { kind: 'count', name: 'count' },
  { kind: 'distinct', name: 'names', property: 'name', type: 'string' },
  { kind: 'distinct', name: 'wholes', property: 'whole', type: 'integer' },
  { kind: 'distinct', name: 'doubles', property: 'double', type: 'double' },
  { kind: 'percentile', name: 'p90', property: 'double', type: 'double', fraction: 0.9 },
  { kind: 'percentile', name: 'p1', property: 'whole', type: 'integer', fraction: 0.01 },
  { kind: 'sum', name: 'sum', property: 'whole', type: 'integer' },
  { kind: 'min', name: 'min', property: 'double', type: 'double' },
]

/** Computes the metrics one by one. */
function expectedOf(rows: readonly Row[]): readonly string[] {
  const wholes = rows.flatMap(({ whole }) => whole ?? [])
  // NaN comes last.
  const doubles = rows.map(({ double }) => double)
  const sorted = [...Float64Array.from(doubles).sort()]
  const at = (values: readonly number[], fraction: number) =>
    values[Math.ceil(fraction * values.length) - 1]
  return [
    rows.length,
    new Set(rows.flatMap(({ name }) => name ?? [])).size,
    new Set(wholes).size,
    new Set(doubles).size,
    at(sorted, 0.9),
    at(
      wholes.toSorted((a, b) => a - b),
      0.01,
    ),
    wholes.reduce((sum, one) => sum + one, 0),
    sorted[0],
  ].map(String)
}

const ALL = SEGMENTS.flat()
const isInRange = ({ double }: Row) => double >= 100 && double < 3000
const RANGE: Query = {
  kind: 'and',
  of: [
    { kind: 'compare', field: fieldOf('double'), operator: 'gte', value: 100 },
    { kind: 'compare', field: fieldOf('double'), operator: 'lt', value: 3000 },
  ],
}

function fieldOf(property: string) {
  return { property, structField: undefined, type: 'double' } as never
}

describe('aggregations over several chunks and segments', () => {
  it.each([
    ['all rows', { kind: 'everything' }, ALL],
    ['the rows of a range', RANGE, ALL.filter(isInRange)],
    ['no rows', { kind: 'not', of: { kind: 'everything' } }, []],
  ] as const)('equal those of %s one by one', (_, query, rows) => {
    if (rows.length > 0) expect(aggregate(query, [], METRICS)).toEqual({ '': expectedOf(rows) })
    const byName = Map.groupBy(
      rows.filter(({ name }) => name !== undefined),
      ({ name }) => JSON.stringify(name),
    )
    const expected = [...byName].map(([name, own]) => [name, expectedOf(own)] as const)
    expect(aggregate(query, [BY_NAME], METRICS)).toEqual(Object.fromEntries(expected))
  })

  it.each([1000, 7, 2])('leave out the rows that are hidden, one in %i', (every) => {
    const isHidden = (position: number) => position % every === 0
    const rows = SEGMENTS.flatMap((own) => own.filter((_, at) => !isHidden(at)))
    const everything: Query = { kind: 'everything' }
    expect(aggregate(everything, [], METRICS, isHidden)).toEqual({ '': expectedOf(rows) })
    const named = rows.filter(({ name }) => name !== undefined)
    const byName = Map.groupBy(named, ({ name }) => JSON.stringify(name))
    const expected = [...byName].map(([name, own]) => [name, expectedOf(own)] as const)
    expect(aggregate(everything, [BY_NAME], METRICS, isHidden)).toEqual(
      Object.fromEntries(expected),
    )
  })

  it('find the elements of lists in all chunks', () => {
    const field = fieldOf('list')
    const query: Query = { kind: 'compare', field, operator: 'eq', value: 3 }
    const count: Metric = { kind: 'count', name: 'count' }
    const found = ALL.filter(({ list }) => list.includes(3)).length
    expect(aggregate(query, [], [count])).toEqual({ '': [String(found)] })
  })

  it('group by steps of numbers', () => {
    const rows = ALL.filter(({ double }) => !Number.isNaN(double))
    const groups = Map.groupBy(rows, ({ double }) => String(Math.floor(double / 50) * 50))
    const grouping: Grouping = {
      kind: 'fixedWidth',
      property: 'double',
      type: 'double',
      width: 50,
    }
    const count: Metric = { kind: 'count', name: 'count' }
    const expected = [...groups].map(([start, own]) => [start, [String(own.length)]])
    expect(aggregate({ kind: 'everything' }, [grouping], [count])).toEqual(
      Object.fromEntries(expected),
    )
  })

  it('count distinct texts, without those who have none, in groups far apart', () => {
    const rows = Array.from(
      { length: 10_000 },
      (_, n): Row => ({
        name: n % 10 === 0 ? undefined : `name ${n % 3000}`,
        whole: (n % 23) * 100_000,
        double: 0,
        list: [],
      }),
    )
    const metric: Metric = { kind: 'distinct', name: 'names', property: 'name', type: 'string' }
    const byWhole: Grouping = { ...BY_NAME, property: 'whole', type: 'integer' }
    const aggregator = new Aggregator({ groupings: [byWhole], metrics: [metric] })
    const segment = segmentOf(rows)
    const visible = bitsFor(segment.size)
    fillBits(visible, segment.size)
    expect(aggregator.add({ segment, visible, filter: EVERY_ROW }, () => {})).toBe(true)
    const { groups, metricsOf } = aggregator.finish()
    const expected = Map.groupBy(rows, ({ whole }) => whole ?? 0)
      .values()
      .map((own) => [String(new Set(own.flatMap(({ name }) => name ?? [])).size)])
    expect(groups.map(metricsOf)).toEqual([...expected])
  })

  it('stop at the chunk at which they are told to', () => {
    let chunks = 0
    const onChunk = () => {
      chunks += 1
      if (chunks === 2) throw new Error('cancelled')
    }
    const [segment] = segments as [Segment]
    const visible = bitsFor(segment.size)
    const aggregator = new Aggregator({ groupings: [BY_NAME], metrics: METRICS })
    const add = () => aggregator.add({ segment, visible, filter: EVERY_ROW }, onChunk)
    expect(add).toThrow('cancelled')
    expect(chunks).toBe(2)
  })
})

describe('a type that lacks a property of the aggregation', () => {
  const [first, second] = segments as [Segment, Segment]
  const [rows = [], otherRows = []] = SEGMENTS
  const LACKING = new Map<string, string>()
  /** Aggregates two types, of which the second lacks every property, in both orders. */
  function groupsOf(groupings: readonly Grouping[], metrics: readonly Metric[]) {
    const results = [[first, second] as const, [second, first] as const].map((order) => {
      const aggregator = new Aggregator({ groupings, metrics })
      for (const segment of order) {
        const visible = bitsFor(segment.size)
        fillBits(visible, segment.size)
        const names = segment === second ? { names: LACKING } : {}
        const added = aggregator.add({ segment, visible, filter: EVERY_ROW, ...names }, () => {})
        expect(added).toBe(true)
      }
      const { groups, keysOf, metricsOf } = aggregator.finish()
      return groups.map((group) => [keysOf(group).join(), ...metricsOf(group)])
    })
    expect(results[1]).toEqual(results[0])
    return results[0]
  }
  const COUNT: Metric = { kind: 'count', name: 'count' }

  it('adds nothing to metrics', () => {
    const [, ...metrics] = METRICS
    const count = rows.length + otherRows.length
    expect(groupsOf([], METRICS)).toEqual([['', String(count), ...expectedOf(rows).slice(1)]])
    expect(groupsOf([], metrics)).toEqual([['', ...expectedOf(rows).slice(1)]])
  })

  const whole = { property: 'whole', type: 'integer' } as const
  const low = { value: 0, inclusive: true }
  it.each<[Grouping, number]>([
    [{ kind: 'exact', ...whole, maxGroups: undefined }, 0],
    [{ kind: 'exact', ...whole, maxGroups: undefined, absent: 'null' }, 1],
    [{ kind: 'exact', ...whole, maxGroups: undefined, absent: { value: 1000 } }, 1],
    [{ kind: 'exact', property: 'name', type: 'string', maxGroups: undefined, absent: 'null' }, 1],
    [{ kind: 'fixedWidth', ...whole, width: 100 }, 0],
    [{ kind: 'ranges', ...whole, ranges: [{ low, high: undefined, json: '{}' }] }, 0],
    [{ ...whole, kind: 'exact', property: 'list', maxGroups: undefined, ofElements: true }, 0],
  ])('is in no group of %j but that of no value', (grouping, hasGroup) => {
    const alone = new Aggregator({ groupings: [grouping], metrics: [COUNT] })
    const visible = bitsFor(first.size)
    fillBits(visible, first.size)
    alone.add({ segment: first, visible, filter: EVERY_ROW }, () => {})
    const { groups, metricsOf } = alone.finish()
    const sum = (counts: readonly unknown[]) =>
      counts.reduce<number>((all, n) => all + Number(n), 0)
    const before = sum(groups.map((group) => metricsOf(group)[0]))
    const after = sum((groupsOf([grouping], [COUNT]) ?? []).map(([, count]) => count))
    expect(after - before).toBe(hasGroup * otherRows.length)
  })
})
