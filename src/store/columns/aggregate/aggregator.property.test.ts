/**
 * Aggregations of one to many thousand rows against the model: groups with and without a place in
 * tables, texts, numbers of any size, lists, several segments and hidden rows.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  aggregateModel,
  type ModelGrouping,
  type ModelMetric,
  type ModelObject,
  type ModelType,
} from '../../../../test/support/aggregate-model.ts'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { QUERY_LIMITS } from '../../../../test/support/to-query.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import { scalarCodec } from '../../../ontology/values/scalar-codec.ts'
import {
  parseAggregation,
  type WrittenAggregation,
} from '../../../query/aggregation/parse-aggregation.ts'
import { V2_AGGREGATIONS } from '../../../query/aggregation/v2-aggregations.ts'
import { bitsFor, clearBit, fillBits } from '../arrays/bits.ts'
import { EVERYTHING } from '../filter/filter.ts'
import { SegmentBuilder } from '../segment/build-segment.ts'
import { columnSpecs } from '../segment/column-specs.ts'
import { Segment } from '../segment/segment.ts'
import { Aggregator } from './aggregator.ts'
import { writeGroups } from './write-groups.ts'

const NUMBERS: readonly ModelType[] = ['integer', 'long', 'double', 'decimal']
const TIMES: readonly ModelType[] = ['date', 'timestamp']
const SCALARS: readonly ModelType[] = ['string', 'boolean', ...NUMBERS, ...TIMES]
const LISTS: readonly ModelType[] = ['string', 'integer', 'double']
const listOf = (type: ModelType) => `${type}s`

const ONTOLOGY = parseDefinition({
  apiName: 'things',
  objectTypes: [
    {
      apiName: 'thing',
      rid: 'ri.ontology.main.object-type.1',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' },
        ...Object.fromEntries(SCALARS.map((type) => [type, { type }])),
        ...Object.fromEntries(
          LISTS.map((type) => [listOf(type), { type: 'array' as const, items: { type } }]),
        ),
      },
    },
  ],
})
const THING = [...ONTOLOGY.objectTypes.values()].find(({ apiName }) => apiName === 'thing')

/** What the rows of a test are like. */
const shape = fc.record({
  seed: fc.nat(),
  rows: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(1, 40, 700, 3000, 3000) },
    // More than one chunk.
    { weight: 1, arbitrary: fc.constant(17_000) },
  ),
  segments: fc.constantFrom(1, 1, 2, 4),
  distinct: fc.constantFrom(1, 6, 900, 5000),
  distinctTexts: fc.constantFrom(1, 6, 900, 900, 5000),
  /** Codes of groups have windows of 65,536 numbers, and sets of values have marks up to 2,097,152. */
  stride: fc.constantFrom(1, 7, 9000, 400_000, 400_000),
  first: fc.constantFrom(0, -30, 1_000_000, -(2 ** 31)),
  longs: fc.constantFrom(0n, 2n ** 53n - 3000n, -(2n ** 53n) + 2n, 2n ** 62n),
  doubles: fc.constantFrom(1, 0.25, 0.1, 1e-310, 1e35),
  odd: fc.constantFrom<(number | string)[]>(
    [],
    ['NaN'],
    ['Infinity', '-Infinity', 5e-324],
    [3.4028234663852886e38, -3.4028234663852886e38, 3.4e38],
  ),
  days: fc.constantFrom(0, -719_528, 104_249, 2_900_000),
  /** One in so many has no value, or is hidden; none for 0. */
  absent: fc.constantFrom(0, 2, 40, 40),
  hidden: fc.constantFrom(0, 0, 2, 900),
})
type Shape = typeof shape extends fc.Arbitrary<infer One> ? One : never

function makeRow(of: Shape, id: number): ModelObject {
  let state = Math.imul(id + 1, 0x9e37_79b1) ^ of.seed
  const next = (below: number): number => {
    state = (state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  // Later segments have other values, too.
  const shift = Math.floor((id * of.segments) / of.rows)
  const number = () => Math.min(of.first + (next(of.distinct) + shift) * of.stride, 2 ** 31 - 1)
  const double = () => {
    const odd = next(20) === 0 ? of.odd[next(of.odd.length || 1)] : undefined
    return odd ?? (next(of.distinct) - 3 + shift) * of.doubles + 0
  }
  const text = () => (next(50) === 0 ? '' : `text ${next(of.distinctTexts) + shift}`)
  const time = () => (of.days + next(of.distinct)) * 86_400_000
  const values: Record<string, () => unknown> = {
    string: text,
    boolean: () => next(2) === 0,
    integer: number,
    long: () => String(of.longs + BigInt(next(of.distinct)) * BigInt(of.stride)),
    double,
    decimal: () => `${number()}.${next(3) * 5}`,
    date: () => new Date(time()).toISOString().slice(0, 10),
    timestamp: () => new Date(time() + next(3)).toISOString().replace('Z', `${100 + next(3)}Z`),
    strings: () => Array.from({ length: next(4) }, text),
    integers: () => Array.from({ length: next(4) }, number),
    doubles: () => Array.from({ length: next(4) }, double),
  }
  const entries = Object.entries(values).filter(() => of.absent === 0 || next(of.absent) > 0)
  return { id, ...Object.fromEntries(entries.map(([name, make]) => [name, make()])) }
}

const metric = fc.oneof(
  fc.record({ type: fc.constant('count'), property: fc.constantFrom(...SCALARS) }),
  fc.record({ type: fc.constant('exactDistinct'), property: fc.constantFrom(...SCALARS) }),
  fc.record({
    type: fc.constantFrom('min', 'max'),
    property: fc.constantFrom<ModelType>(...NUMBERS, ...TIMES, 'string'),
  }),
  fc.record({ type: fc.constantFrom('sum', 'avg'), property: fc.constantFrom(...NUMBERS) }),
  fc.record({
    type: fc.constant('approximatePercentile'),
    property: fc.constantFrom(...NUMBERS, ...TIMES),
    percentile: fc.constantFrom(0, 50, 99.5, 100),
  }),
)
const DISTINCT = (['string', 'integer'] as const).map(
  (property) => [{ type: 'exactDistinct', property }, undefined] as const,
)
const metrics = fc
  .array(fc.tuple(metric, fc.constantFrom('ASC' as const, 'DESC' as const, undefined)), {
    minLength: 1,
    maxLength: 4,
  })
  // Sets of values have the most paths.
  .map((list) =>
    [...DISTINCT, ...list].map(([one, to], at) => ({ ...one, direction: to, name: `m${at}` })),
  )

/** A grouping without the values that it names, which are those of a row. */
const grouping = fc.oneof(
  fc.record({
    type: fc.constant('exact' as const),
    property: fc.constantFrom<ModelType>(...SCALARS, 'integer', 'integer', 'double'),
    maxGroupCount: fc.constantFrom(undefined, 3, 1000),
    absent: fc.constantFrom('none', 'null', 'value'),
  }),
  fc.record({
    type: fc.constant('exact' as const),
    property: fc.constantFrom(...LISTS),
    ofElements: fc.constant(true),
    maxGroupCount: fc.constantFrom(undefined, 3),
  }),
  fc.record({
    type: fc.constant('fixedWidth' as const),
    property: fc.constantFrom(...NUMBERS),
    fixedWidth: fc.constantFrom(1, 7, 100_000),
  }),
  fc.record({
    type: fc.constant('duration' as const),
    property: fc.constantFrom(...TIMES),
    value: fc.constant(1),
    unit: fc.constantFrom('DAYS' as const, 'WEEKS' as const, 'MONTHS' as const, 'YEARS' as const),
  }),
  fc.record({
    type: fc.constant('ranges' as const),
    property: fc.constantFrom(...NUMBERS, ...TIMES),
    isOpen: fc.boolean(),
  }),
)
type Plan = typeof grouping extends fc.Arbitrary<infer One> ? One : never

/** Completes a grouping with the values of some row. */
function groupingOf(plan: Plan, rows: readonly ModelObject[]): ModelGrouping | undefined {
  const { property } = plan
  const values = rows.map((row) => row[property]).filter((value) => value !== undefined)
  const value = values[0]
  switch (plan.type) {
    case 'exact': {
      if ('ofElements' in plan) return { ...plan, name: listOf(property) }
      const { absent, ...exact } = plan
      if (absent === 'none') return exact
      if (absent === 'null') return { ...exact, includeNullValues: true }
      return value === undefined ? undefined : { ...exact, defaultValue: value }
    }
    case 'ranges': {
      if (value === undefined || value === 'NaN') return undefined
      const { isOpen, ...ranges } = plan
      const below = { endValue: value }
      return { ...ranges, ranges: isOpen ? [below, { startValue: value }] : [below] }
    }
    default:
      return plan
  }
}

function written(
  list: readonly ModelMetric[],
  groupings: readonly ModelGrouping[],
): WrittenAggregation {
  return {
    aggregation: list.map(({ property, percentile, type, ...one }) => ({
      ...one,
      type,
      ...(type === 'count' ? {} : { field: property }),
      ...(percentile === undefined ? {} : { approximatePercentile: percentile }),
    })),
    groupBy: groupings.map(({ property, name, ofElements: _, defaultValue, ...one }) => ({
      ...one,
      field: name ?? property,
      ...(defaultValue === undefined ? {} : { defaultValue: String(defaultValue) }),
    })),
  } as WrittenAggregation
}

/** Returns the answer of columns; undefined if they cannot answer. */
function aggregate(of: Shape, rows: readonly ModelObject[], request: WrittenAggregation) {
  if (THING === undefined) throw new Error('no type')
  const aggregation = parseAggregation(V2_AGGREGATIONS, request, {
    objectType: THING,
    limits: QUERY_LIMITS,
  })
  const aggregator = new Aggregator(aggregation)
  const asTexts = of.longs !== 0n
  const specs = columnSpecs(THING).map((spec) => ({
    ...spec,
    asTexts: spec.type === 'long' && asTexts,
  }))
  const length = Math.ceil(of.rows / of.segments)
  for (let start = 0; start < of.rows; start += length) {
    const own = rows.slice(start, start + length)
    const builder = new SegmentBuilder(specs, { kind: 'values', rows: own.length })
    for (const row of own) {
      const values = specs.map(({ property, type = 'string', isList }) => {
        const { parse, column } = scalarCodec(type)
        const encode = (value: unknown) => column?.encode(parse(value)) ?? 1
        const value = row[property]
        if (value === undefined) return undefined
        return isList ? (value as unknown[]).map(encode) : encode(value)
      })
      builder.add({ key: '', validFrom: 0, values })
    }
    const { buffer, place } = builder.finish()
    const segment = new Segment(buffer, place)
    const visible = bitsFor(segment.size)
    fillBits(visible, segment.size)
    for (const [at, { id }] of own.entries()) if (isHidden(of, id)) clearBit(visible, at)
    if (!aggregator.add({ segment, visible, filter: EVERYTHING }, () => {})) return undefined
  }
  const { records, excludedItems } = writeGroups(aggregator.finish(), aggregation, of.rows * 20)
  return { rows: JSON.parse(`[${Buffer.concat(records)}]`), excludedItems }
}

function isHidden({ hidden }: Shape, id: number): boolean {
  return hidden !== 0 && id % hidden === 1
}

it('aggregations of many rows agree with the model', () => {
  const plans = fc.uniqueArray(grouping, { maxLength: 2, selector: ({ property }) => property })
  let answered = 0
  const { numRuns, ...seed } = fcOptions(300)
  fc.assert(
    fc.property(shape, plans, metrics, (of, planned, measured) => {
      const rows = Array.from({ length: of.rows }, (_, id) => makeRow(of, id))
      const groupings = planned.flatMap((plan) => groupingOf(plan, rows) ?? [])
      const mayOrder = groupings.length === 1 && groupings[0]?.includeNullValues !== true
      const list = measured.map(
        ({ direction, ...one }): ModelMetric =>
          direction !== undefined && mayOrder ? { ...one, direction } : one,
      )
      const found = aggregate(of, rows, written(list, groupings))
      if (found === undefined) return
      answered += 1
      const shown = rows.filter(({ id }) => !isHidden(of, id))
      const expected = aggregateModel(shown, list, groupings, 'text')
      expect(found.rows).toEqual(expected.rows)
      const isLimited = groupings.some(({ maxGroupCount }) => maxGroupCount !== undefined)
      expect(found.excludedItems).toBe(isLimited ? expected.excludedItems : undefined)
    }),
    { ...seed, numRuns },
  )
  expect(answered / numRuns).toBeGreaterThan(0.8)
})
