import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService } from '../support/service.ts'

/** Aggregations of v2 by example; aggregate-v2.property.test.ts compares them with a model. */

const SALES: OntologyDefinition = {
  apiName: 'sales',
  objectTypes: [
    {
      apiName: 'sale',
      primaryKey: 'id',
      titleProperty: 'city',
      properties: {
        id: { type: 'integer' },
        city: { type: 'string' },
        units: { type: 'integer' },
        cents: { type: 'long' },
        price: { type: 'decimal' },
        score: { type: 'double' },
        day: { type: 'date' },
        at: { type: 'timestamp' },
        paid: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        name: { type: 'struct', fields: { first: { type: 'string' } } },
        place: { type: 'geopoint' },
      },
    },
    { apiName: 'none', primaryKey: 'id', properties: { id: { type: 'integer' } } },
  ],
}

const OBJECTS = [
  { id: 1, city: 'Bern', units: 3, cents: '9223372036854775807', price: '0.1', score: 1.5 },
  { id: 2, city: 'Bern', units: -7, cents: '9223372036854775807', price: '0.2', score: 2.5 },
  { id: 3, city: 'Bern', units: 12, cents: '5', price: '0.25', score: 'NaN' },
  { id: 4, city: 'Zürich', units: 12, cents: '-5', score: 'Infinity', paid: true },
  { id: 5, city: 'Zürich', day: '2020-02-29', at: '2020-02-29T23:59:59.999999Z', paid: false },
  { id: 6, units: 1, day: '2020-03-02', at: '2020-03-02T00:00:00.0015Z', score: '-Infinity' },
  { id: 7, city: 'Aarau', day: '2019-12-31', at: '2019-12-31T12:00:00Z', paid: true },
]

const AGGREGATE = '/api/v2/ontologies/sales/objects/sale/aggregate'
const count = { type: 'count', name: 'count' }
const exact = (field: string, more = {}) => ({ type: 'exact', field, ...more })

let service: Service
beforeAll(async () => {
  service = await startService()
  expect((await service.apply(SALES)).status).toBe(200)
  expect((await service.put('sales', 'sale', [{ id: 1, city: 'Old' }])).status).toBe(200)
  expect((await service.put('sales', 'sale', OBJECTS)).status).toBe(200)
})
afterAll(() => service[Symbol.asyncDispose]())

const ask = (body: unknown, path = AGGREGATE) => service.send(path, { json: body })

/** Returns the value of each metric over all objects. */
async function valuesOf(...aggregation: object[]): Promise<unknown[]> {
  const { status, body } = await ask({ aggregation, groupBy: [] })
  expect([status, body.data?.length, body.accuracy]).toEqual([200, 1, 'ACCURATE'])
  return body.data[0].metrics.map(({ value }: { value: unknown }) => value)
}

/** Returns the key of each group with the value of its first metric. */
async function groupsOf(grouping: object, metric: object = count): Promise<[unknown, unknown][]> {
  const { status, body } = await ask({ aggregation: [metric], groupBy: [grouping] })
  expect([status, body.errorName]).toEqual([200, undefined])
  return body.data.map((row: { group: object; metrics: [{ value: unknown }] }) => [
    Object.values(row.group)[0],
    row.metrics[0].value,
  ])
}

describe('metrics of v2', () => {
  it('return exactly one group without groupBy', async () => {
    const counted = await ask({ aggregation: [{ type: 'count' }], where: null, groupBy: null })
    expect(counted.text).toBe(
      '{"accuracy":"ACCURATE","data":[{"group":{},"metrics":[{"name":"count","value":7}]}]}',
    )
    const metric = (type: string) => ({ type, field: 'id' })
    const percentile = { ...metric('approximatePercentile'), approximatePercentile: 50 }
    const types = ['min', 'max', 'sum', 'avg', 'approximateDistinct', 'exactDistinct']
    const none = await ask(
      { aggregation: [...types.map(metric), percentile] },
      '/api/v2/ontologies/sales/objects/none/aggregate',
    )
    expect(none.body.data[0].metrics).toEqual([
      { name: 'min_id' },
      { name: 'max_id' },
      { name: 'sum_id' },
      { name: 'avg_id' },
      { name: 'approximateDistinct_id', value: 0 },
      { name: 'exactDistinct_id', value: 0 },
      { name: 'approximatePercentile_id' },
    ])
  })

  it('are numbers, or values as in objects', async () => {
    const both = (field: string) => [
      { type: 'min', field },
      { type: 'max', field },
    ]
    expect(await valuesOf(...both('units'))).toEqual([-7, 12])
    expect(await valuesOf(...both('cents'))).toEqual([-5, Number(9223372036854775807n)])
    expect(await valuesOf(...both('score'))).toEqual(['-Infinity', 'NaN'])
    expect(await valuesOf(...both('city'))).toEqual(['Aarau', 'Zürich'])
    expect(await valuesOf(...both('day'))).toEqual(['2019-12-31', '2020-03-02'])
    expect(await valuesOf(...both('at'))).toEqual([
      '2019-12-31T12:00:00Z',
      '2020-03-02T00:00:00.001500Z',
    ])
    const sums = ['units', 'cents', 'price'].map((field) => ({ type: 'sum', field }))
    expect(await valuesOf(...sums)).toEqual([21, Number(9223372036854775807n) * 2, 0.55])
    const distinct = ['approximateDistinct', 'exactDistinct'].flatMap((type) =>
      ['city', 'units', 'paid'].map((field) => ({ type, field })),
    )
    expect(await valuesOf(...distinct)).toEqual([3, 4, 2, 3, 4, 2])
  })

  it('include percentiles by nearest rank', async () => {
    const percentile = (field: string, approximatePercentile: number, index: number) => ({
      type: 'approximatePercentile',
      field,
      approximatePercentile,
      name: `p${index}`,
    })
    // Units: -7, 1, 3, 12, 12.
    const units = [0, 20, 20.1, 50, 60, 60.5, 100].map((p, n) => percentile('units', p, n))
    expect(await valuesOf(...units)).toEqual([-7, -7, 1, 3, 3, 12, 12])
    const times = [percentile('day', 50, 0), percentile('at', 100, 1), percentile('score', 50, 2)]
    expect(await valuesOf(...times, count)).toEqual([
      '2020-02-29',
      '2020-03-02T00:00:00.001500Z',
      2.5,
      7,
    ])
    expect(await groupsOf(exact('city'), percentile('price', 50, 0))).toEqual([
      ['Aarau', undefined],
      ['Bern', 0.2],
      ['Zürich', undefined],
    ])
  })

  it('select objects with where, and properties by identifier', async () => {
    const { body } = await ask({
      aggregation: [
        { type: 'max', propertyIdentifier: { type: 'primaryKeyProperty' }, field: null },
        { type: 'exactDistinct', propertyIdentifier: { type: 'property', apiName: 'units' } },
      ],
      where: { type: 'not', value: { type: 'eq', field: 'city', value: 'Bern' } },
      groupBy: [{ type: 'exact', propertyIdentifier: { type: 'titleProperty' } }],
      accuracy: 'REQUIRE_ACCURATE',
      includeComputeUsage: true,
    })
    expect(body.data).toEqual([
      {
        group: { city: 'Aarau' },
        metrics: [
          { name: 'max_id', value: 7 },
          { name: 'exactDistinct_units', value: 0 },
        ],
      },
      {
        group: { city: 'Zürich' },
        metrics: [
          { name: 'max_id', value: 5 },
          { name: 'exactDistinct_units', value: 1 },
        ],
      },
    ])
  })
})

describe('groups of v2', () => {
  it('by value, with and without objects that have none', async () => {
    expect(await groupsOf(exact('paid'))).toEqual([
      [false, 1],
      [true, 2],
    ])
    expect(await groupsOf(exact('paid', { includeNullValues: true }))).toEqual([
      [false, 1],
      [true, 2],
      [null, 4],
    ])
    expect(await groupsOf(exact('paid', { defaultValue: 'false' }))).toEqual([
      [false, 5],
      [true, 2],
    ])
    expect(await groupsOf(exact('city', { defaultValue: 'Köln' }))).toEqual([
      ['Aarau', 1],
      ['Bern', 3],
      ['Köln', 1],
      ['Zürich', 2],
    ])
    expect(await groupsOf(exact('day', { defaultValue: '2020-03-02' }))).toEqual([
      ['2019-12-31', 1],
      ['2020-02-29', 1],
      ['2020-03-02', 5],
    ])
    const { body } = await ask({
      aggregation: [count],
      groupBy: [exact('paid', { includeNullValues: true, maxGroupCount: 1 })],
    })
    expect(body).toMatchObject({ excludedItems: 3, data: [{ group: { paid: null } }] })
  })

  it('by width and by ranges', async () => {
    expect(await groupsOf({ type: 'fixedWidth', field: 'units', fixedWidth: 5 })).toEqual([
      [-10, 1],
      [0, 2],
      [10, 2],
    ])
    const ranges = [
      { startValue: 3, endValue: 12 },
      { startValue: -7, endValue: 13 },
      { startValue: 12 },
      { endValue: 1 },
    ]
    expect(await groupsOf({ type: 'ranges', field: 'units', ranges })).toEqual([
      [ranges[0], 1],
      [ranges[1], 5],
      [ranges[2], 2],
      [ranges[3], 1],
    ])
    const days = [{ startValue: '2019-12-31', endValue: '2020-02-29' }]
    expect(await groupsOf({ type: 'ranges', field: 'day', ranges: days })).toEqual([[days[0], 1]])
  })

  it('by calendar and by fixed intervals', async () => {
    const by = (field: string, unit: string, value = 1) =>
      groupsOf({ type: 'duration', field, unit, value })
    expect(await by('day', 'WEEKS')).toEqual([
      ['2019-12-30', 1],
      ['2020-02-24', 1],
      ['2020-03-02', 1],
    ])
    expect(await by('at', 'WEEKS')).toEqual([
      ['2019-12-30T00:00:00Z', 1],
      ['2020-02-24T00:00:00Z', 1],
      ['2020-03-02T00:00:00Z', 1],
    ])
    expect(await by('day', 'QUARTERS')).toEqual([
      ['2019-10-01', 1],
      ['2020-01-01', 2],
    ])
    expect(await by('at', 'MONTHS')).toEqual([
      ['2019-12-01T00:00:00Z', 1],
      ['2020-02-01T00:00:00Z', 1],
      ['2020-03-01T00:00:00Z', 1],
    ])
    expect(await by('day', 'YEARS')).toEqual([
      ['2019-01-01', 1],
      ['2020-01-01', 2],
    ])
    expect(await by('at', 'MILLISECONDS', 10)).toEqual([
      ['2019-12-31T12:00:00Z', 1],
      ['2020-02-29T23:59:59.990Z', 1],
      ['2020-03-02T00:00:00Z', 1],
    ])
    expect(await by('at', 'HOURS', 6)).toEqual([
      ['2019-12-31T12:00:00Z', 1],
      ['2020-02-29T18:00:00Z', 1],
      ['2020-03-02T00:00:00Z', 1],
    ])
    expect((await by('day', 'DAYS', 2_147_483_647)).map(([key]) => key)).toEqual(['1970-01-01'])
  })

  it('in the order of metrics, of which maxGroupCount keeps the first', async () => {
    const ordered = (type: string, field: string | undefined, direction: string) => ({
      type,
      field,
      direction,
    })
    expect(await groupsOf(exact('city'), ordered('count', undefined, 'DESC'))).toEqual([
      ['Bern', 3],
      ['Zürich', 2],
      ['Aarau', 1],
    ])
    // Cities without a value come last in both directions.
    expect(await groupsOf(exact('city'), ordered('sum', 'cents', 'DESC'))).toEqual([
      ['Bern', Number(9223372036854775807n) * 2],
      ['Zürich', -5],
      ['Aarau', undefined],
    ])
    expect(await groupsOf(exact('city'), ordered('avg', 'cents', 'ASC'))).toEqual([
      ['Zürich', -5],
      ['Bern', (Number(9223372036854775807n) * 2) / 3],
      ['Aarau', undefined],
    ])
    expect(await groupsOf(exact('city'), ordered('avg', 'price', 'ASC'))).toEqual([
      ['Bern', 0.18333333333333332],
      ['Aarau', undefined],
      ['Zürich', undefined],
    ])
    // NaN is larger than infinity.
    expect(await groupsOf(exact('city'), ordered('sum', 'score', 'DESC'))).toEqual([
      ['Bern', 'NaN'],
      ['Zürich', 'Infinity'],
      ['Aarau', undefined],
    ])
    const { body } = await ask({
      aggregation: [
        { ...count, direction: null },
        { type: 'max', field: 'units', direction: 'DESC' },
        { type: 'exactDistinct', field: 'id', direction: 'ASC' },
      ],
      groupBy: [exact('city', { maxGroupCount: 1 })],
    })
    expect(body.excludedItems).toBe(4)
    expect(body.data.map(({ group }: { group: object }) => group)).toEqual([{ city: 'Zürich' }])
  })
})

describe('invalid aggregations of v2', () => {
  const percentile = { type: 'approximatePercentile', field: 'units' }
  const duration = { type: 'duration', field: 'at', value: 1, unit: 'DAYS' }
  const ranges = (field: string, ...list: unknown[]) => ({ type: 'ranges', field, ranges: list })

  it.each<[string, string, unknown]>([
    ['AggregationMetricNotSupported', 'aggregation', { type: 'median', field: 'units' }],
    ['PropertiesNotFound', 'aggregation', { type: 'min', field: 'size' }],
    ['PropertiesNotFound', 'aggregation', { type: 'min', field: 'properties.units' }],
    ['InvalidPropertyType', 'aggregation', { type: 'sum', field: 'day' }],
    ['InvalidPropertyType', 'aggregation', { type: 'min', field: 'paid' }],
    ['InvalidPropertyType', 'aggregation', { type: 'max', field: 'tags' }],
    ['InvalidPropertyType', 'aggregation', { type: 'exactDistinct', field: 'place' }],
    [
      'InvalidPropertyType',
      'aggregation',
      { ...percentile, field: 'city', approximatePercentile: 1 },
    ],
    ['Conjure:UnprocessableEntity', 'aggregation', percentile],
    ['Conjure:UnprocessableEntity', 'aggregation', { ...percentile, approximatePercentile: 100.1 }],
    ['Conjure:UnprocessableEntity', 'aggregation', { ...percentile, approximatePercentile: -1 }],
    ['Conjure:UnprocessableEntity', 'aggregation', { ...percentile, approximatePercentile: 'x' }],
    ['Conjure:UnprocessableEntity', 'aggregation', { type: 'min' }],
    ['Conjure:UnprocessableEntity', 'aggregation', { type: 'count', field: 'units' }],
    ['Conjure:UnprocessableEntity', 'aggregation', { type: 'count', direction: 'asc' }],
    [
      'InvalidParameterCombination',
      'aggregation',
      { type: 'min', field: 'id', propertyIdentifier: { type: 'primaryKeyProperty' } },
    ],
    ['InvalidAggregationOrdering', 'aggregation', { type: 'count', direction: 'ASC' }],
    ['Default:InvalidArgument', 'groupBy', { type: 'terms', field: 'city' }],
    ['InvalidPropertyType', 'groupBy', exact('place')],
    ['InvalidPropertyType', 'groupBy', { type: 'geoGrid', field: 'city' }],
    ['InvalidPropertyType', 'groupBy', exact('name')],
    ['Conjure:UnprocessableEntity', 'groupBy', exact('city', { maxGroupCount: 0 })],
    ['Conjure:UnprocessableEntity', 'groupBy', exact('city', { unit: 'DAYS' })],
    [
      'DefaultAndNullGroupsNotSupported',
      'groupBy',
      exact('city', { defaultValue: '', includeNullValues: true }),
    ],
    ['InvalidPropertyValue', 'groupBy', exact('units', { defaultValue: 'many' })],
    ['InvalidPropertyType', 'groupBy', { type: 'fixedWidth', field: 'day', fixedWidth: 1 }],
    ['Conjure:UnprocessableEntity', 'groupBy', { type: 'fixedWidth', field: 'units' }],
    ['InvalidAggregationRange', 'groupBy', ranges('units', {})],
    ['InvalidAggregationRange', 'groupBy', ranges('units', { startValue: 2, endValue: 1 })],
    ['InvalidAggregationRangeValue', 'groupBy', ranges('units', { startValue: 'x', endValue: 1 })],
    [
      'InvalidAggregationRangePropertyType',
      'groupBy',
      ranges('city', { startValue: 'a', endValue: 'b' }),
    ],
    ['Conjure:UnprocessableEntity', 'groupBy', ranges('units', { gte: 1, lt: 2 })],
    ['Conjure:UnprocessableEntity', 'groupBy', ranges('units')],
    ['InvalidDurationGroupByPropertyType', 'groupBy', { ...duration, field: 'units' }],
    ['InvalidDurationGroupByValue', 'groupBy', { ...duration, unit: 'WEEKS', value: 2 }],
    ['InvalidDurationGroupByValue', 'groupBy', { ...duration, value: 0 }],
    ['InvalidDurationGroupByValue', 'groupBy', { ...duration, field: 'day', unit: 'HOURS' }],
    ['Default:InvalidArgument', 'groupBy', { ...duration, unit: 'DECADES' }],
    ['Conjure:UnprocessableEntity', 'groupBy', { ...duration, value: null }],
  ])('%s: %s %j', async (errorName, member, value) => {
    const valid = { aggregation: [count], groupBy: [] }
    const { status, body } = await ask({ ...valid, [member]: [value] })
    expect([status, body.errorName]).toEqual([statusOf(errorName), errorName])
    expect(Object.keys(body.parameters)).not.toEqual([])
  })

  it.each<[string, object]>([
    ['MultipleGroupByOnFieldNotSupported', { groupBy: [exact('city'), exact('city')] }],
    [
      'InvalidAggregationOrdering',
      {
        aggregation: [{ type: 'count', direction: 'ASC' }],
        groupBy: [exact('city'), exact('paid')],
      },
    ],
    [
      'InvalidAggregationOrderingWithNullValues',
      {
        aggregation: [{ type: 'count', direction: 'DESC' }],
        groupBy: [exact('city', { includeNullValues: true })],
      },
    ],
    ['Conjure:UnprocessableEntity', { aggregation: [] }],
    ['Conjure:UnprocessableEntity', { aggregation: [count, count] }],
    ['Conjure:UnprocessableEntity', { accuracy: 'EXACT' }],
    ['Conjure:UnprocessableEntity', { query: { type: 'eq', field: 'city', value: 'Bern' } }],
    ['PropertiesNotFound', { where: { type: 'eq', field: 'size', value: 1 } }],
    ['Default:InvalidArgument', { where: { type: 'same', field: 'city', value: 1 } }],
  ])('%s: %j', async (errorName, members) => {
    const { status, body } = await ask({ aggregation: [count], groupBy: [], ...members })
    expect([status, body.errorName]).toEqual([statusOf(errorName), errorName])
  })

  function statusOf(errorName: string): number {
    if (errorName === 'PropertiesNotFound') return 404
    return errorName === 'Conjure:UnprocessableEntity' ? 422 : 400
  }

  it('are refused without a token, a scope or a visible ontology', async () => {
    const json = { aggregation: [count] }
    expect((await service.send(AGGREGATE, { json, token: null })).status).toBe(401)
    const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
    expect((await service.send(AGGREGATE, { json, token: writer })).status).toBe(403)
    const stranger = await service.createToken({ ontologies: ['other'] })
    const hidden = await service.send(AGGREGATE, { json, token: stranger })
    expect([hidden.status, hidden.body.errorName]).toEqual([404, 'OntologyNotFound'])
    const unknown = await ask(json, AGGREGATE.replace('/sale/', '/nothing/'))
    expect([unknown.status, unknown.body.errorName]).toEqual([404, 'ObjectTypeNotFound'])
    const empty = await service.send(AGGREGATE, { method: 'POST' })
    expect([empty.status, empty.body.errorName]).toEqual([400, 'MissingPostBody'])
  })
})

describe('the largest aggregations of v2', () => {
  it('run within the limits of the databases', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `n${index}`)
    await using wide = await startService()
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' as const }]))
    const type = { apiName: 'row', primaryKey: 'n0', properties }
    await wide.apply({ apiName: 'wide', objectTypes: [type] })
    const rows = Array.from({ length: 5 }, (_, row) =>
      Object.fromEntries(names.map((name, index) => [name, row * (index + 1)])),
    )
    expect((await wide.put('wide', 'row', rows)).status).toBe(200)
    const json = {
      aggregation: names.map((field) => ({
        type: 'approximatePercentile',
        field,
        approximatePercentile: 50,
      })),
      groupBy: names.slice(0, 20).map((field) => ({
        type: 'exact',
        field,
        maxGroupCount: 3,
        includeNullValues: true,
      })),
    }
    const path = '/api/v2/ontologies/wide/objects/row/aggregate'
    const grouped = await wide.send(path, { json })
    expect([grouped.status, grouped.body.data?.length]).toEqual([200, 3])
    const whole = await wide.send(path, { json: { ...json, groupBy: [] } })
    expect(whole.body.data[0].metrics).toEqual(
      names.map((name, index) => ({
        name: `approximatePercentile_${name}`,
        value: 2 * (index + 1),
      })),
    )
  })
})
