import { describe, expect, it } from 'vitest'
import { ObjectQueryError } from '../../contract/errors.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import type { WrittenGrouping } from './groupings.ts'
import { parseAggregation, type WrittenAggregation } from './parse-aggregation.ts'
import { REVISION_1_AGGREGATIONS } from './revision-1-aggregations.ts'
import { intervalStart, readDuration } from './time-step.ts'

const scalar = <T extends string>(type: T) => ({ type })

const ontology = parseDefinition({
  apiName: 'things',
  rid: 'ri.ontology.main.ontology.1',
  objectTypes: [
    {
      apiName: 'thing',
      rid: 'ri.ontology.main.object-type.1',
      primaryKey: 'id',
      properties: {
        id: scalar('string'),
        'a.b': scalar('integer'),
        whole: scalar('integer'),
        long: scalar('long'),
        double: scalar('double'),
        decimal: scalar('decimal'),
        date: scalar('date'),
        timestamp: scalar('timestamp'),
        flag: scalar('boolean'),
        mark: scalar('marking'),
        place: scalar('geopoint'),
        tags: { type: 'array', items: scalar('string') },
        name: {
          type: 'struct',
          fields: {
            first: scalar('string'),
            others: { type: 'array', items: scalar('string') },
            at: { type: 'struct', fields: { age: scalar('integer'), place: scalar('geopoint') } },
          },
        },
      },
    },
  ],
})
const objectType = ontology.objectTypes.get('thing')
if (objectType === undefined) throw new Error('no type')

const limits = { maxDepth: 3, maxTerms: 20, maxTextLength: 100 }
const parse = (written: WrittenAggregation) =>
  parseAggregation(REVISION_1_AGGREGATIONS, written, { objectType, limits })
const count = { type: 'count' }
const groupBy = (...groupings: WrittenGrouping[]) =>
  parse({ aggregation: [count], groupBy: groupings }).groupings

/** The error of a refused aggregation, as `[name, parameters]`. */
function refusal(read: () => unknown): readonly [string, object] {
  try {
    read()
  } catch (error) {
    if (error instanceof ObjectQueryError) return [error.errorName, error.parameters]
    throw error
  }
  throw new Error('was not refused')
}

describe('metrics', () => {
  it('are named after their type and property', () => {
    const { metrics } = parse({
      aggregation: [
        count,
        { type: 'max', field: 'properties.date' },
        { type: 'sum', field: 'properties.a.b', name: null },
        { type: 'avg', field: 'properties.decimal', name: 'mean' },
        { type: 'approximateDistinct', field: 'properties.mark' },
      ],
    })
    expect(metrics).toEqual([
      { kind: 'count', name: 'count' },
      { kind: 'max', name: 'max_date', property: 'date', type: 'date' },
      { kind: 'sum', name: 'sum_a.b', property: 'a.b', type: 'integer' },
      { kind: 'avg', name: 'mean', property: 'decimal', type: 'decimal' },
      {
        kind: 'distinct',
        name: 'approximateDistinct_mark',
        property: 'mark',
        type: 'marking',
      },
    ])
  })

  it.each([
    ['min', 'id', 'string'],
    ['max', 'flag', 'boolean'],
    ['sum', 'date', 'date'],
    ['avg', 'timestamp', 'timestamp'],
    ['sum', 'tags', 'array of string'],
    ['min', 'name.at', 'struct {age: integer, place: geopoint}'],
    ['approximateDistinct', 'name.others', 'array of string'],
    ['approximateDistinct', 'name.at.place', 'geopoint'],
    ['approximateDistinct', 'place', 'geopoint'],
  ])('%s of %s is refused because of the type', (type, property, propertyBaseType) => {
    const [name, parameters] = refusal(() =>
      parse({ aggregation: [{ type, field: `properties.${property}` }] }),
    )
    expect(name).toBe('InvalidPropertyType')
    expect(parameters).toEqual({
      property,
      propertyBaseType,
      reason: `${type} is not defined for this type`,
    })
  })

  it.each([
    [{ type: 'count', feild: 'x' }, 'feild', 'count', 'type, name'],
    [{ type: 'count', field: 'properties.whole' }, 'field', 'count', 'type, name'],
    [{ type: 'sum', feild: 'properties.whole' }, 'feild', 'sum', 'type, field, name'],
    [{ type: 'max', field: 'properties.whole', nmae: 'm' }, 'nmae', 'max', 'type, field, name'],
  ])('%j is refused with the allowed members', (metric, member, type, allowed) => {
    expect(refusal(() => parse({ aggregation: [metric] }))).toEqual([
      'Conjure:UnprocessableEntity',
      {
        parameter: `aggregation[0].${member}`,
        reason: `a metric of type ${type} has no such member; allowed members: ${allowed}`,
      },
    ])
  })

  it.each(['median', 'Count', '', '__proto__', 'toString'])('there is no metric %j', (type) => {
    expect(refusal(() => parse({ aggregation: [{ type }] }))).toEqual([
      'AggregationMetricNotSupported',
      { metricType: type },
    ])
  })

  it.each([
    [[], 'aggregation'],
    [[{ type: 'min' }], 'aggregation[0].field'],
    [[{ type: 'count', field: 'properties.whole' }], 'aggregation[0].field'],
    [[count, { type: 'count' }], 'aggregation[1].name'],
    [[count, { type: 'sum', field: 'properties.whole', name: 'count' }], 'aggregation[1].name'],
  ])('%j is unprocessable at %s', (aggregation, parameter) => {
    const [name, parameters] = refusal(() => parse({ aggregation }))
    expect(name).toBe('Conjure:UnprocessableEntity')
    expect(parameters).toMatchObject({ parameter })
  })

  it('names unknown properties and fields that are not properties', () => {
    const fieldOf = (field: string) =>
      refusal(() => parse({ aggregation: [{ type: 'min', field }] }))
    expect(fieldOf('properties.nope')).toEqual([
      'PropertiesNotFound',
      { objectType: 'thing', properties: ['nope'] },
    ])
    expect(fieldOf('whole')).toEqual(['InvalidFields', { properties: ['whole'] }])
  })

  it('count towards one limit together with groupings and ranges', () => {
    const ranges = Array.from({ length: 19 }, () => ({ gte: 1, lt: 2 }))
    expect(refusal(() => groupBy({ type: 'ranges', field: 'properties.whole', ranges }))).toEqual([
      'QueryTermsExceededLimit',
      { termsLimit: 20 },
    ])
  })
})

describe('groupings', () => {
  it('keep their order; null means absent', () => {
    const groupings = groupBy(
      { type: 'exact', field: 'properties.flag', maxGroupCount: 3, ranges: null },
      { type: 'exact', field: 'properties.mark' },
      { type: 'fixedWidth', field: 'properties.long', fixedWidth: 5 },
      { type: 'ranges', field: 'properties.decimal', ranges: [{ gte: '1.0', gt: null, lt: 2 }] },
      { type: 'duration', field: 'properties.timestamp', duration: 'P1DT2H' },
    )
    expect(groupings).toEqual([
      { kind: 'exact', property: 'flag', type: 'boolean', maxGroups: 3 },
      { kind: 'exact', property: 'mark', type: 'marking', maxGroups: undefined },
      { kind: 'fixedWidth', property: 'long', type: 'long', width: 5 },
      {
        kind: 'ranges',
        property: 'decimal',
        type: 'decimal',
        ranges: [
          {
            low: { value: '10011', inclusive: true },
            high: { value: '10012', inclusive: false },
            json: '{"gte":"1.0","lt":2}',
          },
        ],
      },
      {
        kind: 'duration',
        property: 'timestamp',
        type: 'timestamp',
        step: { unit: 'seconds', count: 93_600 },
      },
    ])
    expect(parse({ aggregation: [count], groupBy: null }).groupings).toEqual([])
  })

  it.each(['range', 'Exact', '', '__proto__'])('there is no grouping %j', (type) => {
    const [name, parameters] = refusal(() => groupBy({ type, field: 'properties.whole' }))
    expect(name).toBe('Default:InvalidArgument')
    expect(parameters).toMatchObject({ parameter: 'groupBy[0].type', value: type })
  })

  it('must each have a different property', () => {
    const twice = { type: 'exact', field: 'properties.whole' }
    expect(refusal(() => groupBy(twice, { ...twice, type: 'fixedWidth', fixedWidth: 1 }))).toEqual([
      'MultipleGroupByOnFieldNotSupported',
      { duplicateFields: ['properties.whole'] },
    ])
  })

  it('can be by a field of a struct', () => {
    const field = { property: 'name', structField: 'at:age' }
    expect(
      parse({
        aggregation: [{ type: 'max', field: 'properties.name.at.age' }],
        groupBy: [{ type: 'fixedWidth', field: 'properties.name.at.age', fixedWidth: 10 }],
      }),
    ).toEqual({
      metrics: [
        { kind: 'max', name: 'max_name.at.age', property: 'name.at.age', field, type: 'integer' },
      ],
      groupings: [
        { kind: 'fixedWidth', property: 'name.at.age', field, type: 'integer', width: 10 },
      ],
    })
  })

  it.each([
    [{ type: 'exact', field: 'properties.tags' }, 'InvalidPropertyType'],
    [{ type: 'exact', field: 'properties.place' }, 'InvalidPropertyType'],
    [{ type: 'exact', field: 'properties.name' }, 'InvalidPropertyType'],
    [{ type: 'exact', field: 'properties.name.others' }, 'InvalidPropertyType'],
    [{ type: 'fixedWidth', field: 'properties.date', fixedWidth: 1 }, 'InvalidPropertyType'],
    [
      { type: 'ranges', field: 'properties.id', ranges: [{ gte: 'a', lt: 'b' }] },
      'InvalidAggregationRangePropertyType',
    ],
    [
      { type: 'duration', field: 'properties.long', duration: 'P1D' },
      'InvalidDurationGroupByPropertyType',
    ],
  ])('%j is refused because of the type', (grouping, errorName) => {
    const [name, parameters] = refusal(() => groupBy(grouping))
    expect(name).toBe(errorName)
    expect(parameters).toMatchObject({ property: grouping.field.slice('properties.'.length) })
  })

  it.each([
    [{ type: 'fixedWidth', field: 'properties.whole' }, 'fixedWidth', 'is missing'],
    [
      { type: 'ranges', field: 'properties.whole', ranges: [] },
      'ranges',
      'is empty; at least one range is required',
    ],
    [{ type: 'duration', field: 'properties.date' }, 'duration', 'is missing'],
    [
      { type: 'exact', field: 'properties.whole', fixedWidth: 5 },
      'fixedWidth',
      'a grouping of type exact has no such member; allowed members: type, field, maxGroupCount',
    ],
    [
      { type: 'duration', field: 'properties.date', duraton: 'P1D' },
      'duraton',
      'a grouping of type duration has no such member; allowed members: type, field, duration',
    ],
    [
      { type: 'exact', field: 'properties.whole', feild: null },
      'feild',
      'a grouping of type exact has no such member; allowed members: type, field, maxGroupCount',
    ],
  ])('%j is unprocessable at %s', (grouping, member, reason) => {
    const [name, parameters] = refusal(() => groupBy(grouping))
    expect(name).toBe('Conjure:UnprocessableEntity')
    expect(parameters).toEqual({ parameter: `groupBy[0].${member}`, reason })
  })
})

describe('ranges', () => {
  const range = (property: string, ...ranges: object[]) =>
    groupBy({ type: 'ranges', field: `properties.${property}`, ranges })

  it.each([
    ['whole', {}],
    ['whole', { gte: 1 }],
    ['whole', { lt: 1 }],
    ['whole', { gte: 1, gt: 1, lt: 5 }],
    ['whole', { gte: 1, lt: 5, lte: 5 }],
    ['whole', { gte: 5, lt: 4 }],
    ['decimal', { gte: '-1', lt: '-1.0000000000000000000001' }],
    ['long', { gt: '9007199254740993', lte: '9007199254740992' }],
    ['timestamp', { gte: '2020-01-01T00:00:00.000001Z', lt: '2020-01-01T00:00:00Z' }],
  ])('on %s %j is refused', (property, written) => {
    const [name, parameters] = refusal(() => range(property, written))
    expect(name).toBe('InvalidAggregationRange')
    expect(parameters).toMatchObject({ property, range: written })
  })

  it.each([
    ['whole', { gte: 'a', lt: 5 }],
    ['whole', { gte: 1.5, lt: 5 }],
    ['whole', { gte: [], lt: {} }],
    ['double', { gte: 'NaN', lt: 5 }],
    ['double', { gte: 1, lt: 'NaN' }],
    ['date', { gte: '2020-02-30', lt: '2021-01-01' }],
    ['date', { gte: 5, lt: '2021-01-01' }],
    ['long', { gte: 1, lt: '9223372036854775808' }],
  ])('on %s %j has a bound of another type', (property, written) => {
    const [name, parameters] = refusal(() => range(property, written))
    expect(name).toBe('InvalidAggregationRangeValue')
    expect(parameters).toMatchObject({
      property,
      objectType: 'thing',
      propertyBaseType: property === 'whole' ? 'integer' : property,
    })
  })

  it('can be a single value, or end at infinity', () => {
    expect(range('whole', { gte: 5, lte: 5 })).toHaveLength(1)
    expect(range('double', { gte: '-Infinity', lte: 'Infinity' })).toHaveLength(1)
  })
})

describe('durations', () => {
  it.each([
    ['P1D', 86_400],
    ['PT1S', 1],
    ['PT1H30M', 5400],
    ['P2DT3H4M5S', 183_845],
    ['PT0H1M', 60],
  ])('%s is %d seconds', (text, seconds) => {
    expect(readDuration(text)).toBe(seconds)
  })

  it.each([
    '',
    'P',
    'PT',
    'P1DT',
    'P0D',
    'PT0S',
    'P1W',
    'P1M',
    'P1Y',
    'PT1.5S',
    '-P1D',
    'P-1D',
    'p1d',
    'P1H',
    'PT1D',
    ' P1D',
    'P1D\n',
    'P1234567890D',
    '86400',
  ])('%j is refused', (text) => {
    expect(readDuration(text)).toBeUndefined()
    const written = { type: 'duration', field: 'properties.timestamp', duration: text }
    expect(refusal(() => groupBy(written))).toMatchObject([
      'InvalidDurationGroupByValue',
      { property: 'timestamp', duration: text },
    ])
  })

  it('of dates are whole days', () => {
    const date = (duration: string) =>
      groupBy({ type: 'duration', field: 'properties.date', duration })
    expect(date('PT48H')).toMatchObject([{ step: { unit: 'seconds', count: 172_800 } }])
    expect(refusal(() => date('PT36H'))).toMatchObject(['InvalidDurationGroupByValue', {}])
  })

  it('start at the year 0000 at the earliest', () => {
    expect(intervalStart('date', -86_400_000)).toBe('1969-12-31')
    expect(intervalStart('timestamp', 3_661_000)).toBe('1970-01-01T01:01:01Z')
    expect(intervalStart('date', -1e15)).toBe('0000-01-01')
    expect(intervalStart('timestamp', -1e15)).toBe('0000-01-01T00:00:00Z')
  })
})
