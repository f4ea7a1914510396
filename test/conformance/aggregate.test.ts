import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService } from '../support/service.ts'

/** Aggregations by example; test/properties/aggregate.property.test.ts compares them with a model. */

const SALES: OntologyDefinition = {
  apiName: 'sales',
  objectTypes: [
    {
      apiName: 'sale',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' },
        city: { type: 'string' },
        kind: { type: 'string' },
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

const MAX_LONG = '9223372036854775807'
const MIN_LONG = '-9223372036854775808'

const OBJECTS = [
  {
    id: 1,
    city: 'Bern',
    kind: 'tea',
    units: 3,
    cents: MAX_LONG,
    price: '0.1',
    score: 1.5,
    day: '2020-01-31',
    at: '2020-01-31T23:59:59.999999Z',
    paid: true,
    tags: ['red'],
  },
  {
    id: 2,
    city: 'Bern',
    kind: 'tea',
    units: -7,
    cents: MAX_LONG,
    price: '0.20',
    score: 2.5,
    day: '1969-12-31',
    at: '1969-12-31T23:59:59Z',
    paid: false,
  },
  { id: 3, city: 'Bern', kind: 'oil', units: 12, cents: '5', price: '0.2', score: 'NaN' },
  { id: 4, city: 'Zürich', kind: 'oil', units: 12, cents: MIN_LONG, score: 'Infinity' },
  { id: 5, city: 'Zürich', kind: 'tea', day: '2020-02-01', at: '2020-02-01T00:00:00Z' },
  { id: 6, kind: 'tea', units: 1, score: '-Infinity' },
  { id: 7, city: '"quoted" \u{1f600}' },
]

const AGGREGATE = '/api/v1/ontologies/sales/objects/sale/aggregate'
const count = { type: 'count' }
const field = (name: string) => `properties.${name}`
const metric = (type: string, name: string) => ({ type, field: field(name) })
const exact = (name: string, more = {}) => ({ type: 'exact', field: field(name), ...more })
const eq = (name: string, value: unknown) => ({ type: 'eq', field: field(name), value })

describe('aggregate objects, revision 1.0', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    expect((await service.apply(SALES)).status).toBe(200)
    expect((await service.put('sales', 'sale', [{ id: 1, city: 'Old' }])).status).toBe(200)
    expect((await service.put('sales', 'sale', OBJECTS)).status).toBe(200)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const ask = (body: unknown, path = AGGREGATE) => service.send(path, { json: body })

  /** Returns one metric over all objects, or over those that match a query. */
  async function metricOf(aggregation: object, query?: object): Promise<unknown> {
    const answer = await ask({ aggregation: [aggregation], query })
    expect(answer.status).toBe(200)
    expect(answer.body.data).toHaveLength(1)
    expect(answer.body.data[0].group).toEqual({})
    return answer.body.data[0].metrics[0].value
  }

  /** Returns each group with its count. */
  async function groupsOf(...groupBy: object[]): Promise<[object, number][]> {
    const answer = await ask({ aggregation: [count], groupBy })
    expect(answer.status).toBe(200)
    return answer.body.data.map((row: { group: object; metrics: [{ value: number }] }) => [
      row.group,
      row.metrics[0].value,
    ])
  }

  it('returns exactly one group without groupBy', async () => {
    const answer = await ask({ aggregation: [count], query: null, groupBy: null })
    expect(answer.text).toBe('{"data":[{"group":{},"metrics":[{"name":"count","value":7}]}]}')
    const none = await ask(
      { aggregation: [count, metric('min', 'id'), metric('sum', 'id'), metric('avg', 'id')] },
      '/api/v1/ontologies/sales/objects/none/aggregate',
    )
    expect(none.body.data).toEqual([
      {
        group: {},
        metrics: [
          { name: 'count', value: 0 },
          { name: 'min_id' },
          { name: 'sum_id' },
          { name: 'avg_id' },
        ],
      },
    ])
  })

  it('accepts what published clients send', async () => {
    const answer = await ask({ aggregation: [count], groupBy: [exact('city')] })
    expect(answer.body).toEqual({
      data: [
        { group: { city: '"quoted" \u{1f600}' }, metrics: [{ name: 'count', value: 1 }] },
        { group: { city: 'Bern' }, metrics: [{ name: 'count', value: 3 }] },
        { group: { city: 'Zürich' }, metrics: [{ name: 'count', value: 2 }] },
      ],
    })
  })

  it('computes metrics exactly, and rounds only the result', async () => {
    expect(await metricOf(metric('min', 'units'))).toBe(-7)
    expect(await metricOf(metric('max', 'units'))).toBe(12)
    expect(await metricOf(metric('sum', 'units'))).toBe(21)
    expect(await metricOf(metric('avg', 'units'))).toBe(4.2)
    expect(await metricOf(metric('approximateDistinct', 'units'))).toBe(4)
    // 2^63 - 1 twice, 5 and -2^63: the partial sums exceed 64 bits, the result does not.
    expect(await metricOf(metric('sum', 'cents'))).toBe(Number(2n ** 63n + 3n))
    expect(await metricOf(metric('sum', 'cents'), eq('kind', 'tea'))).toBe(Number(2n ** 64n - 2n))
    expect(await metricOf(metric('avg', 'cents'), eq('kind', 'tea'))).toBe(Number(2n ** 63n - 1n))
    expect(await metricOf(metric('max', 'cents'))).toBe(2 ** 63)
    expect(await metricOf(metric('min', 'cents'))).toBe(-(2 ** 63))
    expect(await metricOf(metric('sum', 'price'))).toBe(0.5)
    expect(await metricOf(metric('avg', 'price'))).toBe(0.5 / 3)
    // 0.2 and 0.20 are one value.
    expect(await metricOf(metric('approximateDistinct', 'price'))).toBe(2)
    expect(await metricOf(metric('max', 'price'))).toBe(0.2)
  })

  it('returns dates and timestamps in milliseconds', async () => {
    expect(await metricOf(metric('min', 'day'))).toBe(-86_400_000)
    expect(await metricOf(metric('max', 'day'))).toBe(Date.UTC(2020, 1, 1))
    expect(await metricOf(metric('min', 'at'))).toBe(-1000)
    expect(await metricOf(metric('max', 'at'))).toBe(Date.UTC(2020, 1, 1))
  })

  it('returns NaN and the infinities as text', async () => {
    expect(await metricOf(metric('sum', 'score'))).toBe('NaN')
    expect(await metricOf(metric('avg', 'score'))).toBe('NaN')
    expect(await metricOf(metric('max', 'score'))).toBe('NaN')
    expect(await metricOf(metric('min', 'score'))).toBe('-Infinity')
    const not = (id: number) => ({ type: 'not', value: eq('id', id) })
    const both = { type: 'and', value: [not(3)] }
    expect(await metricOf(metric('sum', 'score'), both)).toBe('NaN')
    expect(await metricOf(metric('max', 'score'), both)).toBe('Infinity')
    const positive = { type: 'and', value: [not(3), not(6)] }
    expect(await metricOf(metric('avg', 'score'), positive)).toBe('Infinity')
    expect(await metricOf(metric('sum', 'score'), eq('kind', 'tea'))).toBe('-Infinity')
    expect(await metricOf(metric('sum', 'score'), eq('city', 'Bern'))).toBe('NaN')
    expect(await metricOf(metric('approximateDistinct', 'score'))).toBe(5)
    expect(await metricOf(metric('min', 'score'), eq('id', 3))).toBe('NaN')
  })

  it('aggregates the matches of a query, including fuzzy terms', async () => {
    const oil = { type: 'anyTerm', field: field('city'), value: 'zurich', fuzzy: true }
    expect(await metricOf(count, oil)).toBe(2)
    expect(await metricOf(count, { type: 'contains', field: field('tags'), value: 'red' })).toBe(1)
    expect(await metricOf(count, { type: 'prefix', field: field('city'), value: 'be' })).toBe(3)
    expect(await metricOf(count, { type: 'isNull', field: field('city'), value: true })).toBe(1)
  })

  it('names exact groups in the encoding of the property', async () => {
    expect(await groupsOf(exact('cents'))).toEqual([
      [{ cents: MIN_LONG }, 1],
      [{ cents: '5' }, 1],
      [{ cents: MAX_LONG }, 2],
    ])
    expect(await groupsOf(exact('price'))).toEqual([
      [{ price: '0.1' }, 1],
      [{ price: '0.2' }, 2],
    ])
    expect(await groupsOf(exact('score'))).toEqual([
      [{ score: '-Infinity' }, 1],
      [{ score: 1.5 }, 1],
      [{ score: 2.5 }, 1],
      [{ score: 'Infinity' }, 1],
      [{ score: 'NaN' }, 1],
    ])
    expect(await groupsOf(exact('paid'))).toEqual([
      [{ paid: false }, 1],
      [{ paid: true }, 1],
    ])
    expect(await groupsOf(exact('at'))).toEqual([
      [{ at: '1969-12-31T23:59:59Z' }, 1],
      [{ at: '2020-01-31T23:59:59.999999Z' }, 1],
      [{ at: '2020-02-01T00:00:00Z' }, 1],
    ])
  })

  it('groups by several properties; objects without one of them are in no group', async () => {
    expect(await groupsOf(exact('kind'), exact('city'))).toEqual([
      [{ kind: 'oil', city: 'Bern' }, 1],
      [{ kind: 'oil', city: 'Zürich' }, 1],
      [{ kind: 'tea', city: 'Bern' }, 2],
      [{ kind: 'tea', city: 'Zürich' }, 1],
    ])
  })

  it('groups by width, including negative values', async () => {
    const width = (name: string, fixedWidth: number) => ({
      type: 'fixedWidth',
      field: field(name),
      fixedWidth,
    })
    expect(await groupsOf(width('units', 5))).toEqual([
      [{ units: -10 }, 1],
      [{ units: 0 }, 2],
      [{ units: 10 }, 2],
    ])
    expect(await groupsOf(width('score', 2))).toEqual([
      [{ score: 0 }, 1],
      [{ score: 2 }, 1],
    ])
    expect(await groupsOf(width('price', 1))).toEqual([[{ price: 0 }, 3]])
    const cents = await ask({ aggregation: [count], groupBy: [width('cents', 10)] })
    expect(cents.text.match(/"cents":(-?\d+)/g)).toEqual([
      '"cents":-9223372036854775810',
      '"cents":0',
      '"cents":9223372036854775800',
    ])
  })

  it('groups by ranges in the order of the request, with an object in every range that contains it', async () => {
    const ranges = [
      { gt: 3, lte: 12 },
      { gte: 3, lt: 12 },
      { gte: 100, lt: 200 },
      { gte: -7, lte: 3 },
    ]
    expect(await groupsOf({ type: 'ranges', field: field('units'), ranges })).toEqual([
      [{ units: { gt: 3, lte: 12 } }, 2],
      [{ units: { gte: 3, lt: 12 } }, 1],
      [{ units: { gte: -7, lte: 3 } }, 3],
    ])
    const days = [
      { gte: '1900-01-01', lt: '2020-01-31' },
      { gte: '2020-01-31', gt: null, lt: '2021-01-01' },
    ]
    expect(await groupsOf({ type: 'ranges', field: field('day'), ranges: days })).toEqual([
      [{ day: { gte: '1900-01-01', lt: '2020-01-31' } }, 1],
      [{ day: { gte: '2020-01-31', lt: '2021-01-01' } }, 2],
    ])
    const finite = [{ gt: '-Infinity', lt: 'Infinity' }]
    expect(await groupsOf({ type: 'ranges', field: field('score'), ranges: finite })).toEqual([
      [{ score: { gt: '-Infinity', lt: 'Infinity' } }, 2],
    ])
  })

  it('groups by duration in UTC, counted from 1970', async () => {
    const by = (name: string, duration: string) => ({
      type: 'duration',
      field: field(name),
      duration,
    })
    expect(await groupsOf(by('day', 'P30D'))).toEqual([
      [{ day: '1969-12-02' }, 1],
      [{ day: '2020-01-09' }, 2],
    ])
    expect(await groupsOf(by('at', 'P1D'))).toEqual([
      [{ at: '1969-12-31T00:00:00Z' }, 1],
      [{ at: '2020-01-31T00:00:00Z' }, 1],
      [{ at: '2020-02-01T00:00:00Z' }, 1],
    ])
    expect(await groupsOf(by('at', 'PT1S'))).toEqual([
      [{ at: '1969-12-31T23:59:59Z' }, 1],
      [{ at: '2020-01-31T23:59:59Z' }, 1],
      [{ at: '2020-02-01T00:00:00Z' }, 1],
    ])
    expect(await groupsOf(by('at', 'P999999999D'))).toEqual([
      [{ at: '0000-01-01T00:00:00Z' }, 1],
      [{ at: '1970-01-01T00:00:00Z' }, 2],
    ])
  })

  it('keeps the largest groups, and counts the objects of the others', async () => {
    const largest = await ask({
      aggregation: [count],
      groupBy: [exact('city', { maxGroupCount: 2 })],
    })
    expect(largest.body.excludedItems).toBe(1)
    expect(largest.body.data.map((row: { group: object }) => row.group)).toEqual([
      { city: 'Bern' },
      { city: 'Zürich' },
    ])
    const enough = await ask({
      aggregation: [count],
      groupBy: [exact('city', { maxGroupCount: 3 })],
    })
    expect(enough.body.excludedItems).toBe(0)
    // The largest city of each kind; the first of equal ones.
    const nested = await ask({
      aggregation: [count],
      groupBy: [exact('kind'), exact('city', { maxGroupCount: 1 })],
    })
    expect(nested.body).toMatchObject({
      excludedItems: 2,
      data: [{ group: { kind: 'oil', city: 'Bern' } }, { group: { kind: 'tea', city: 'Bern' } }],
    })
    const outer = await ask({
      aggregation: [count],
      groupBy: [exact('kind', { maxGroupCount: 1 }), exact('city', { maxGroupCount: 5 })],
    })
    expect(outer.body).toMatchObject({
      excludedItems: 2,
      data: [{ group: { kind: 'tea', city: 'Bern' } }, { group: { kind: 'tea', city: 'Zürich' } }],
    })
  })

  const by = (grouping: object) => ({ aggregation: [count], groupBy: [grouping] })
  const on = (name: string, type: string, more: object) => ({ type, field: field(name), ...more })

  it.each([
    [{}, 'aggregation'],
    [{ aggregation: [] }, 'aggregation'],
    [{ aggregation: null }, 'aggregation'],
    [{ aggregation: Array.from({ length: 101 }, () => count) }, 'aggregation'],
    [{ aggregation: [{}] }, 'aggregation[0].type'],
    [{ aggregation: [{ type: 'count', of: 1 }] }, 'aggregation[0].of'],
    [{ aggregation: [count], where: {} }, 'where'],
    [by(exact('city', { maxGroupCount: 0 })), 'groupBy[0].maxGroupCount'],
    [by(on('units', 'fixedWidth', { fixedWidth: 0 })), 'groupBy[0].fixedWidth'],
    [by(on('units', 'fixedWidth', { fixedWidth: 0.5 })), 'groupBy[0].fixedWidth'],
    [by(on('units', 'ranges', { ranges: [{ gte: 1, lt: 2, to: 3 }] })), 'groupBy[0].ranges[0].to'],
  ])('rejects %j', async (body, parameter) => {
    const answer = await ask(body)
    expect(answer.status).toBe(422)
    expect(answer.body.errorName).toBe('Conjure:UnprocessableEntity')
    expect(answer.body.parameters.parameter).toBe(parameter)
  })

  it.each([
    [{ aggregation: [{ type: 'max', feild: 'properties.units' }] }, 'type, field, name'],
    [by({ ...exact('city'), maxGroups: 3 }), 'type, field, maxGroupCount'],
  ])('names the allowed members in the refusal of %j', async (body, allowed) => {
    const answer = await ask(body)
    expect(answer.status).toBe(422)
    expect(answer.body.parameters.reason).toMatch(`allowed members: ${allowed}`)
  })

  it.each([
    ['AggregationMetricNotSupported', 'median', { aggregation: [metric('median', 'units')] }],
    ['InvalidPropertyType', 'city', { aggregation: [metric('sum', 'city')] }],
    ['PropertiesNotFound', 'nope', { aggregation: [metric('min', 'nope')] }],
    ['InvalidFields', 'units', { aggregation: [{ type: 'min', field: 'units' }] }],
    [
      'MultipleGroupByOnFieldNotSupported',
      'properties.city',
      { aggregation: [count], groupBy: [exact('city'), exact('city')] },
    ],
    ['InvalidAggregationRange', 'units', by(on('units', 'ranges', { ranges: [{ gte: 1 }] }))],
    ['InvalidDurationGroupByValue', 'day', by(on('day', 'duration', { duration: 'PT1H' }))],
    ['InvalidAndFilter', 'query', { aggregation: [count], query: { type: 'and', value: [] } }],
    ['Default:InvalidArgument', 'odd', { aggregation: [count], query: { type: 'odd' } }],
  ])('returns %s with the name %s', async (errorName, name, body) => {
    const answer = await ask(body)
    expect(answer.status).toBe(errorName === 'PropertiesNotFound' ? 404 : 400)
    expect(answer.body.errorName).toBe(errorName)
    expect(Object.values(answer.body.parameters).flat()).toContain(name)
  })

  it('requires a body, a token and the scope', async () => {
    const nothing = await service.send(AGGREGATE, { method: 'POST' })
    expect(nothing.body.errorName).toBe('MissingPostBody')
    const nobody = await service.send(AGGREGATE, { token: null, json: { aggregation: [count] } })
    expect(nobody.status).toBe(401)
    const token = await service.createToken({ scopes: ['api:ontologies-write'] })
    const writer = await service.send(AGGREGATE, { token, json: { aggregation: [count] } })
    expect(writer.body.errorName).toBe('ApiUsageDenied')
  })

  it('accepts as many metrics and groupings as documented', async () => {
    const aggregation = Array.from({ length: 100 }, (_, index) => ({
      ...metric('avg', 'score'),
      name: `metric ${index}`,
    }))
    const groupBy = ['id', 'city', 'kind', 'paid'].map((name) => exact(name, { maxGroupCount: 9 }))
    const ranges = ['units', 'cents', 'price', 'score'].map((name) => ({
      type: 'ranges',
      field: field(name),
      ranges: Array.from({ length: 90 }, (_, index) => ({ gte: index, lt: index + 1 })),
    }))
    const answer = await ask({ aggregation, groupBy: [...groupBy, ...ranges] })
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual([])
    const overlapping = ['units', 'cents'].map((name) => ({
      type: 'ranges',
      field: field(name),
      ranges: Array.from({ length: 10 }, (_, index) => ({ gte: -index, lt: 20 })),
    }))
    const refused = await ask({ aggregation: [count], groupBy: overlapping })
    expect([refused.status, refused.body.parameters.parameter]).toEqual([422, 'groupBy'])
    const shown = await ask({ aggregation: [count], groupBy: overlapping.slice(0, 1) })
    expect(shown.body.data).toHaveLength(10)
  })
})

describe('limits of aggregations', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ settings: { OQS_AGGREGATE_MAX_GROUPS: '3' } })
    await service.apply(SALES)
    await service.put('sales', 'sale', OBJECTS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('reject too many groups, unless maxGroupCount keeps fewer', async () => {
    const by = (grouping: object) =>
      service.send(AGGREGATE, { json: { aggregation: [count], groupBy: [grouping] } })
    expect((await by(exact('city'))).body.data).toHaveLength(3)
    const many = await by(exact('id'))
    expect(many.status).toBe(400)
    expect(many.body).toMatchObject({
      errorName: 'AggregationGroupCountExceededLimit',
      parameters: { groupsCount: 7, groupsLimit: 3 },
    })
    expect((await by(exact('id', { maxGroupCount: 4 }))).body.parameters.groupsCount).toBe(4)
    const cut = await by(exact('id', { maxGroupCount: 3 }))
    expect(cut.body.data).toHaveLength(3)
    expect(cut.body.excludedItems).toBe(4)
  })

  it('reject a response that would be too large', async () => {
    await using large = await startService()
    await large.apply(SALES)
    const objects = Array.from({ length: 1500 }, (_, id) => ({ id }))
    await large.put('sales', 'none', objects)
    const aggregation = Array.from({ length: 100 }, (_, index) => ({
      type: 'count',
      name: String(index).padEnd(500, 'x'),
    }))
    const answer = await large.send('/api/v1/ontologies/sales/objects/none/aggregate', {
      json: { aggregation, groupBy: [exact('id')] },
    })
    expect(answer.status).toBe(400)
    expect(answer.body.errorName).toBe('AggregationMemoryExceededLimit')
  })
})
