import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService } from '../support/service.ts'

/** The query language of both revisions by example; test/properties compares it with a model. */

const PEOPLE: OntologyDefinition = {
  apiName: 'people',
  families: ['gotham'],
  objectTypes: [
    {
      apiName: 'person',
      primaryKey: 'id',
      titleProperty: 'name',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        age: { type: 'integer' },
        born: { type: 'date' },
        seen: { type: 'timestamp' },
        score: { type: 'double' },
        cents: { type: 'long' },
        rate: { type: 'decimal' },
        active: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        names: {
          type: 'array',
          items: {
            type: 'struct',
            fields: { FIRST: { type: 'string' }, LAST: { type: 'string' } },
          },
        },
        home: { type: 'geopoint' },
        photo: { type: 'attachment' },
      },
    },
  ],
}

const point = (longitude: number, latitude: number) => ({
  type: 'Point',
  coordinates: [longitude, latitude],
})

const OBJECTS = [
  {
    id: 'a',
    name: 'The Quick ------ Brown Fox',
    age: 30,
    born: '1990-01-31',
    score: 1.5,
    rate: '1.50',
    cents: '9007199254740993',
    active: true,
    tags: ['red', 'blue'],
    names: [{ FIRST: 'Ann', LAST: 'Lee' }],
    home: point(8.5, 47.4),
  },
  {
    id: 'b',
    name: 'The Quick Brown Foxes',
    age: 30,
    born: '1985-06-01',
    score: 'NaN',
    rate: '1.5',
    cents: '9007199254740992',
    active: false,
    tags: ['red'],
    names: [
      { FIRST: 'Bob', LAST: 'Ray' },
      { FIRST: 'Rob', LAST: 'Lee' },
    ],
    home: point(2.3, 48.9),
  },
  {
    id: 'c',
    name: 'The Quick Big Brown fox',
    age: 41,
    seen: '2026-01-01T01:00:00+01:00',
    score: -2,
    rate: '-7',
    tags: [],
  },
  {
    id: 'd',
    name: 'Nate the quick Bro',
    age: 25,
    seen: '2026-01-01T00:00:00.5Z',
    score: 'Infinity',
  },
  { id: 'e' },
]

describe('queries', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    expect((await service.apply(PEOPLE)).status).toBe(200)
    expect((await service.put('people', 'person', OBJECTS)).status).toBe(200)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const SEARCH_1 = '/api/v1/ontologies/people/objects/person/search'
  const SEARCH_2 = '/api/gotham/v1/objects/types/person/search'
  const LIST = '/api/v1/ontologies/people/objects/person'

  const search1 = async (query: object, more: object = {}) => {
    const { status, body } = await service.send(SEARCH_1, { json: { query, ...more } })
    expect([status, body.errorName]).toEqual([200, undefined])
    expect(body.totalCount).toBe(String(body.data.length))
    return body.data.map((record: { properties: { id: string } }) => record.properties.id).join('')
  }
  const search2 = async (query: object) => {
    const { status, body } = await service.send(SEARCH_2, { json: { query } })
    expect([status, body.errorName]).toEqual([200, undefined])
    return body.data.map((record: { primaryKey: string }) => record.primaryKey).join('')
  }
  const list = async (parameters: string) => {
    const { status, body } = await service.send(`${LIST}?${parameters}`)
    expect([status, body.errorName]).toEqual([200, undefined])
    return body.data.map((record: { properties: { id: string } }) => record.properties.id).join('')
  }
  const field = (type: string, name: string, value: unknown) => ({
    type,
    field: `properties.${name}`,
    value,
  })

  const cases: readonly [string, object, string][] = [
    ['eq', field('eq', 'age', 30), 'ab'],
    ['eq takes numbers as text', field('eq', 'age', '30'), 'ab'],
    ['eq on booleans', field('eq', 'active', false), 'b'],
    ['eq tells longs past 2^53 apart', field('eq', 'cents', '9007199254740993'), 'a'],
    ['eq on decimals is exact and by value', field('eq', 'rate', '1.500'), 'ab'],
    ['eq is case-sensitive', field('eq', 'id', 'A'), ''],
    ['eq finds NaN', field('eq', 'score', 'NaN'), 'b'],
    ['lt', field('lt', 'age', 30), 'd'],
    ['lte', field('lte', 'age', 30), 'abd'],
    ['gt puts NaN behind every number', field('gt', 'score', 1e300), 'bd'],
    ['gte on dates', field('gte', 'born', '1990-01-31'), 'a'],
    ['lt on timestamps goes by time', field('lt', 'seen', '2026-01-01T00:00:00.1Z'), 'c'],
    ['lt on strings goes by code point', field('lt', 'name', 'Oz'), 'd'],
    ['isNull', field('isNull', 'born', true), 'cde'],
    ['isNull false', field('isNull', 'tags', false), 'abc'],
    ['contains', field('contains', 'tags', 'red'), 'ab'],
    ['eq on an array matches any value', field('eq', 'tags', 'blue'), 'a'],
    ['eq on a field of a struct', field('eq', 'names.LAST', 'Lee'), 'ab'],
    [
      'not counts missing values as not equal',
      { type: 'not', value: field('eq', 'age', 30) },
      'cde',
    ],
    ['and', { type: 'and', value: [field('eq', 'age', 30), field('eq', 'active', true)] }, 'a'],
    ['or', { type: 'or', value: [field('eq', 'age', 25), field('eq', 'age', 41)] }, 'cd'],
    ['phrase, whole terms, adjacent', field('phrase', 'name', 'the quick brown fox'), 'a'],
    ['prefix, the last term may go on', field('prefix', 'name', 'The quick bro'), 'abd'],
    ['anyTerm', field('anyTerm', 'name', 'nate foxes'), 'bd'],
    ['allTerms in any order', field('allTerms', 'name', 'fox the'), 'ac'],
    ['terms do not match in part', field('anyTerm', 'name', 'qui'), ''],
    ['fuzzy', { ...field('anyTerm', 'name', 'quikc'), fuzzy: true }, ''],
    ['fuzzy within one edit', { ...field('anyTerm', 'name', 'quick2 natex'), fuzzy: true }, 'abcd'],
    ['phrase in a struct field', field('phrase', 'names.FIRST', 'rob'), 'b'],
    ['a text without terms matches nothing', field('allTerms', 'name', ' -- '), ''],
  ]
  it.each(cases)('revision 1.0: %s', async (_name, query, expected) => {
    expect(await search1(query)).toBe(expected)
  })

  const ring = (...corners: [number, number][]) =>
    corners.map(([longitude, latitude]) => ({ longitude, latitude }))
  const cases2: readonly [string, object, string][] = [
    ['empty', { type: 'empty' }, 'abcde'],
    ['eq', { type: 'eq', field: 'age', value: 30 }, 'ab'],
    ['a component', { type: 'eq', field: 'names:LAST', value: 'Ray' }, 'b'],
    [
      'gte and not',
      {
        type: 'and',
        value: [
          { type: 'gte', field: 'age', value: 30 },
          { type: 'not', value: { type: 'eq', field: 'id', value: 'a' } },
        ],
      },
      'bc',
    ],
    ['keyword anywhere', { type: 'keyword', query: 'red ann' }, 'a'],
    ['keyword over several values', { type: 'keyword', query: 'ROB foxes' }, 'b'],
    [
      'geoPointWithin',
      { type: 'geoPointWithin', polygon: ring([8, 47], [9, 47], [9, 48], [8, 48], [8, 47]) },
      'a',
    ],
    [
      'geoPointWithin, on the edge',
      { type: 'geoPointWithin', polygon: ring([2.3, 48], [3, 48], [3, 49], [2.3, 49], [2.3, 48]) },
      'b',
    ],
  ]
  it.each(cases2)('[4.4.3] revision 2.0: %s', async (_name, query, expected) => {
    expect(await search2(query)).toBe(expected)
  })

  const filters: readonly [string, string, string][] = [
    ['eq', 'properties.age.eq=30', 'ab'],
    ['several eq mean any', 'p.age.eq=30&p.age.eq=25', 'abd'],
    ['however they are written', 'p.age.eq=30&properties.AGE.eq=25', 'abd'],
    ['names do not mind case', 'p.AGE.eq=41', 'c'],
    ['neq', 'p.age.neq=30', 'cde'],
    ['a range', 'p.age.gte=25&p.age.lt=41', 'abd'],
    ['contains', 'p.tags.contains=blue&p.tags.contains=red', 'ab'],
    ['isNull', 'p.age.isNull=true', 'e'],
    ['filters and order', 'p.age.gt=0&orderBy=p.age:desc,p.id', 'cabd'],
  ]
  it.each(filters)('[4.2.2] filters of a listing: %s', async (_name, parameters, expected) => {
    expect(await list(parameters)).toBe(expected)
  })

  const orders: readonly [string, string, string][] = [
    ['ascending, nulls last, ties by key', 'orderBy=properties.age', 'dabce'],
    ['descending, nulls last, ties by key downwards', 'orderBy=p.age:desc', 'cbade'],
    ['nulls first', 'orderBy=p.age:asc:nullsFirst', 'edabc'],
    ['several terms', 'orderBy=p.age:desc,p.born:asc', 'cbade'],
    ['NaN behind every number', 'orderBy=p.score', 'cadbe'],
    ['decimals by value', 'orderBy=p.rate:asc', 'cabde'],
    ['names do not mind case', 'orderBy=p.AGE:asc', 'dabce'],
  ]
  it.each(orders)('orders: %s', async (_name, parameters, expected) => {
    expect(await list(parameters)).toBe(expected)
    const walked: string[] = []
    let token = ''
    do {
      const { body } = await service.send(
        `${LIST}?${parameters}&pageSize=1&properties=name${token}`,
      )
      walked.push(
        ...body.data.map((record: { properties: { id: string } }) => record.properties.id),
      )
      token = body.nextPageToken === undefined ? '' : `&pageToken=${body.nextPageToken}`
    } while (token !== '')
    expect(walked.join('')).toBe(expected)
  })

  it('returns the selected properties and the key, as stored', async () => {
    const { body } = await service.send(
      `${LIST}?properties=CENTS,names&properties=photo&pageSize=1`,
    )
    expect(body.data[0].properties).toEqual({
      id: 'a',
      cents: '9007199254740993',
      names: [{ FIRST: 'Ann', LAST: 'Lee' }],
    })
    const found = await service.send(SEARCH_1, {
      json: { query: field('eq', 'id', 'a'), fields: ['age'] },
    })
    expect(found.body.data[0].properties).toEqual({ id: 'a', age: 30 })
  })

  const eq = field('eq', 'age', 30)
  const mistakes: readonly [object, number, string, object][] = [
    [{ query: field('eq', 'nope', 1) }, 404, 'PropertiesNotFound', { properties: ['nope'] }],
    [
      { query: { type: 'eq', field: 'age', value: 1 } },
      400,
      'InvalidFields',
      { properties: ['age'] },
    ],
    [{ query: field('eq', 'age', 'x') }, 400, 'InvalidPropertyValue', { property: 'age' }],
    [
      { query: field('lt', 'active', true) },
      400,
      'PropertyTypesSearchNotSupported',
      { parameters: { lt: ['properties.active'] } },
    ],
    [{ query: field('eq', 'home', 1) }, 400, 'PropertyTypesSearchNotSupported', {}],
    [{ query: field('contains', 'name', 'x') }, 400, 'PropertyTypesSearchNotSupported', {}],
    [{ query: field('phrase', 'age', 'x') }, 400, 'PropertyTypesSearchNotSupported', {}],
    [{ query: { type: 'and', value: [] } }, 400, 'InvalidAndFilter', {}],
    [{ query: { type: 'or', value: [] } }, 400, 'InvalidOrFilter', {}],
    [
      { query: { type: 'and', value: [field('gt', 'age', 9), field('lt', 'age', 1)] } },
      400,
      'InvalidRangeQuery',
      { field: 'age' },
    ],
    [{ query: field('eq', `x${'.x'.repeat(50_000)}`, 1) }, 404, 'PropertiesNotFound', {}],
    [
      { query: { ...field('anyTerm', 'name', 'a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2'), fuzzy: true } },
      400,
      'QueryTermsExceededLimit',
      { termsLimit: 10 },
    ],
    [
      {
        query: {
          type: 'not',
          value: { type: 'not', value: { type: 'not', value: { type: 'not', value: eq } } },
        },
      },
      400,
      'QueryDepthExceededLimit',
      { depth: 4, depthLimit: 3 },
    ],
    [
      { query: { type: 'or', value: Array.from({ length: 501 }, () => eq) } },
      400,
      'QueryTermsExceededLimit',
      { termsLimit: 500 },
    ],
    [
      { query: field('eq', 'name', 'x'.repeat(10_001)) },
      400,
      'QueryTextExceededLimit',
      { lengthLimit: 10_000 },
    ],
    [
      { query: { ...eq, fuzzy: true } },
      422,
      'Conjure:UnprocessableEntity',
      { parameter: 'query.fuzzy' },
    ],
    [
      { query: field('isNull', 'age', 'yes') },
      422,
      'Conjure:UnprocessableEntity',
      { parameter: 'query.value' },
    ],
    [
      { query: eq, orderBy: { fields: [{ field: 'properties.nope' }] } },
      404,
      'PropertiesNotFound',
      {},
    ],
    [
      { query: eq, orderBy: { fields: [{ field: 'age' }] } },
      400,
      'InvalidFields',
      { properties: ['age'] },
    ],
    [
      { query: eq, orderBy: { fields: [{ field: 'properties.age', direction: 'up' }] } },
      400,
      'InvalidSortOrder',
      { invalidSortOrder: 'up' },
    ],
    [
      { query: eq, orderBy: { fields: [{ field: 'properties.tags' }] } },
      400,
      'PropertiesNotSortable',
      { properties: ['tags'] },
    ],
    [
      {
        query: eq,
        orderBy: { fields: [{ field: 'properties.age' }, { field: 'properties.age' }] },
      },
      400,
      'DuplicateOrderBy',
      { properties: ['age'] },
    ],
    [{ query: eq, fields: ['nope'] }, 404, 'PropertiesNotFound', { properties: ['nope'] }],
  ]
  it.each(mistakes)('[7.2] rejects %j with %i %s', async (body, status, errorName, parameters) => {
    const answer = await service.send(SEARCH_1, { json: body })
    expect([answer.status, answer.body.errorName]).toEqual([status, errorName])
    expect(answer.body.parameters).toMatchObject(parameters)
  })

  const listMistakes: readonly [string, number, string][] = [
    ['p.nope.eq=1', 404, 'PropertiesNotFound'],
    ['p.age.like=1', 400, 'MalformedPropertyFilters'],
    ['p.age=1', 400, 'MalformedPropertyFilters'],
    ['p.age.eq=x', 400, 'InvalidPropertyFilterValue'],
    ['p.age.isNull=2', 400, 'InvalidPropertyFilterValue'],
    ['p.tags.eq=x', 400, 'PropertyFiltersNotSupported'],
    ['p.name.lt=x', 400, 'PropertyFiltersNotSupported'],
    ['p.age.lt=1&p.age.lt=2', 400, 'MultiplePropertyValuesNotSupported'],
    ['p.age.gt=5&p.age.lt=3', 400, 'InvalidRangeQuery'],
    ['orderBy=age', 400, 'InvalidSortType'],
    ['orderBy=p.age:up', 400, 'InvalidSortOrder'],
    ['orderBy=', 400, 'InvalidSortType'],
    ['properties=nope', 404, 'PropertiesNotFound'],
  ]
  it.each(listMistakes)(
    '[7.2] rejects the listing ?%s with %i %s',
    async (parameters, status, name) => {
      const answer = await service.send(`${LIST}?${parameters}`)
      expect([answer.status, answer.body.errorName]).toEqual([status, name])
    },
  )

  const mistakes2: readonly [object, number, string][] = [
    [{ type: 'eq', field: 'nope', value: 1 }, 400, 'InvalidOntologyTypes'],
    [{ type: 'eq', field: 'names:NOPE', value: 1 }, 400, 'InvalidOntologyTypes'],
    [{ type: 'eq', field: 'names:FIRST:x', value: 1 }, 400, 'InvalidOntologyTypes'],
    [{ type: 'eq', field: 'age', value: {} }, 400, 'InvalidPropertyValue'],
    [{ type: 'eq', field: 5, value: 1 }, 422, 'Conjure:UnprocessableEntity'],
    [{ type: 'keyword' }, 422, 'Conjure:UnprocessableEntity'],
    [{ type: 'geoPointWithin', polygon: [] }, 422, 'Conjure:UnprocessableEntity'],
    [
      { type: 'geoPointWithin', polygon: ring([0, 0], [1, 0], [1, 1], [0, 1]) },
      422,
      'Conjure:UnprocessableEntity',
    ],
    [
      { type: 'geoPointWithin', polygon: ring([0, 0], [1, 0], [1, 91], [0, 0]) },
      422,
      'Conjure:UnprocessableEntity',
    ],
    [{ type: 'prefix', field: 'name', value: 'x' }, 400, 'Default:InvalidArgument'],
  ]
  it.each(mistakes2)('[7.2] revision 2.0 rejects %j with %i %s', async (query, status, name) => {
    const answer = await service.send(SEARCH_2, { json: { query } })
    expect([answer.status, answer.body.errorName]).toEqual([status, name])
  })
})
