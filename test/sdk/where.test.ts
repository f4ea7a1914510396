/** Every `where` operator of the published `@osdk/client`, unmodified, against a running service. */
import { type Client, createClient, type ObjectTypeDefinition } from '@osdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const SITES: OntologyDefinition = {
  apiName: 'sites',
  objectTypes: [
    {
      apiName: 'site',
      primaryKey: 'id',
      titleProperty: 'name',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        size: { type: 'integer' },
        volume: { type: 'long' },
        score: { type: 'double' },
        open: { type: 'boolean' },
        day: { type: 'date' },
        at: { type: 'timestamp' },
        tags: { type: 'array', items: { type: 'string' } },
        owner: {
          type: 'struct',
          fields: {
            name: { type: 'string' },
            age: { type: 'integer' },
            home: {
              type: 'struct',
              fields: {
                city: { type: 'string' },
                rooms: {
                  type: 'array',
                  items: { type: 'struct', fields: { area: { type: 'double' } } },
                },
              },
            },
          },
        },
        spot: { type: 'geopoint' },
        area: { type: 'geoshape' },
      },
    },
  ],
}

const point = (longitude: number, latitude: number) => ({
  type: 'Point',
  coordinates: [longitude, latitude],
})
const square = (from: number, to: number) => [
  [
    [from, from],
    [to, from],
    [to, to],
    [from, to],
    [from, from],
  ],
]

const OBJECTS = [
  {
    id: 'A',
    name: 'The quick brown fox',
    size: 1,
    volume: '9007199254740993',
    score: 0.5,
    open: true,
    day: '2020-01-31',
    at: '2020-01-31T23:59:59Z',
    tags: ['red', 'green'],
    owner: {
      name: 'Ada Lovelace',
      age: 36,
      home: { city: 'London', rooms: [{ area: 12.5 }, { area: 20 }] },
    },
    spot: point(1, 1),
    area: { type: 'Polygon', coordinates: square(0, 2) },
  },
  {
    id: 'B',
    name: 'A quick fox is brown',
    size: 2,
    volume: '9007199254740992',
    score: 1.5,
    open: false,
    day: '2020-02-01',
    at: '2020-02-01T00:00:00Z',
    tags: ['green'],
    owner: { name: 'Grace Hopper', age: 85 },
    spot: point(5, 5),
    area: { type: 'Polygon', coordinates: square(4, 6) },
  },
  { id: 'C', name: 'Lazy dog', size: 3, spot: point(20, 20) },
  { id: 'D' },
]

const Site = {
  type: 'object',
  apiName: 'site',
  primaryKeyApiName: 'id',
  primaryKeyType: 'string',
  osdkMetadata: { extraUserAgent: 'typescript-sdk/0.0.0 osdk-test/0.0.0' },
} as ObjectTypeDefinition

type Row = readonly [clause: object, keys: string]

describe('where of @osdk/client', () => {
  let service: Service
  let client: Client
  beforeAll(async () => {
    service = await startService()
    const { body } = await service.apply(SITES)
    expect((await service.put('sites', 'site', OBJECTS)).status).toBe(200)
    client = createClient(service.url, body.rid, async () => ADMIN_TOKEN)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  async function keysOf(clause: object): Promise<string> {
    // What generated code would have typed; the types have tests of their own.
    const { data } = await client(Site)
      .where(clause as never)
      .fetchPage()
    return data.map(({ $primaryKey }) => $primaryKey).join('')
  }

  const EQUALITY: Row[] = [
    [{ name: { $eq: 'Lazy dog' } }, 'C'],
    [{ open: true }, 'A'],
    [{ open: { $ne: true } }, 'BCD'],
    [{ volume: { $eq: '9007199254740993' } }, 'A'],
    [{ day: { $eq: '2020-02-01' } }, 'B'],
    [{ at: { $eq: '2020-02-01T00:00:00Z' } }, 'B'],
    [{ size: { $in: [1, 3, 7] } }, 'AC'],
    [{ day: { $in: ['2020-01-31'] } }, 'A'],
    [{ score: { $isNull: false } }, 'AB'],
    [{ tags: { $isNull: true } }, 'CD'],
    [{ owner: { $isNull: true } }, 'CD'],
    [{ area: { $isNull: false } }, 'AB'],
  ]

  const RANGES: Row[] = [
    [{ size: { $gt: 1 } }, 'BC'],
    [{ size: { $gte: 2 } }, 'BC'],
    [{ volume: { $lt: '9007199254740993' } }, 'B'],
    [{ score: { $lte: 0.5 } }, 'A'],
    [{ day: { $gt: '2020-01-31' } }, 'B'],
    [{ at: { $lt: '2020-02-01T00:00:00Z' } }, 'A'],
  ]

  const TEXT: Row[] = [
    [{ name: { $startsWith: 'quick fo' } }, 'B'],
    [{ name: { $containsAnyTerm: 'dog brown' } }, 'ABC'],
    [{ name: { $containsAnyTerm: { term: 'dig', fuzzySearch: true } } }, 'C'],
    [{ name: { $containsAllTerms: 'fox brown' } }, 'AB'],
    [{ name: { $containsAllTerms: { term: 'quik fox', fuzzySearch: true } } }, 'AB'],
    [{ name: { $containsAllTermsInOrder: 'quick brown fox' } }, 'A'],
    [{ name: { $matchesRegex: 'The .*fox' } }, 'A'],
    [{ name: { $interval: { $match: 'quick brown', $ordered: true, $maxGaps: 2 } } }, 'AB'],
    [{ name: { $interval: { $match: 'quick brown', $ordered: true, $maxGaps: 0 } } }, 'A'],
    [{ name: { $interval: { $match: 'lazy d', $prefixOnLastTerm: true } } }, 'C'],
    [
      { name: { $interval: { $and: [{ $match: 'fox' }, { $match: 'brown' }], $ordered: true } } },
      'B',
    ],
    [{ name: { $interval: { $or: [{ $match: 'lazy' }, { $fuzzy: 'foxx' }] } } }, 'ABC'],
  ]

  const PARTS: Row[] = [
    [{ tags: { $contains: 'red' } }, 'A'],
    [{ tags: { $contains: { $eq: 'green' } } }, 'AB'],
    [{ tags: { $contains: { $containsAnyTerm: 'red' } } }, 'A'],
    [{ owner: { name: { $eq: 'Ada Lovelace' } } }, 'A'],
    [{ owner: { age: { $gt: 40 } } }, 'B'],
    [{ owner: { name: { $containsAnyTerm: 'hopper' } } }, 'B'],
    [{ owner: { name: { $isNull: true } } }, 'CD'],
    [{ owner: { 'home.city': { $eq: 'London' } } }, 'A'],
    [{ owner: { 'home.city': { $startsWith: 'lon' } } }, 'A'],
    [{ owner: { 'home.rooms.area': { $gt: 15 } } }, 'A'],
    [{ owner: { home: { $isNull: true } } }, 'BCD'],
  ]

  const GEO: Row[] = [
    [{ spot: { $within: { $distance: [200, 'kilometers'], $of: [0, 0] } } }, 'A'],
    [{ spot: { $within: { $distance: [100, 'mile'], $of: point(5, 6) } } }, 'B'],
    [{ spot: { $within: [0, 0, 6, 6] } }, 'AB'],
    [{ spot: { $within: { $bbox: [4, 4, 30, 30] } } }, 'BC'],
    [{ spot: { $within: { $polygon: square(0, 3) } } }, 'A'],
    [{ spot: { $within: { type: 'Polygon', coordinates: square(4, 30) } } }, 'BC'],
    [{ area: { $intersects: [1, 1, 3, 3] } }, 'A'],
    [{ area: { $intersects: { $bbox: [1, 1, 5, 5] } } }, 'AB'],
    [{ area: { $intersects: { $polygon: square(5, 9) } } }, 'B'],
    [{ area: { $intersects: { type: 'Polygon', coordinates: square(3, 3.5) } } }, ''],
    [{ $not: { area: { $intersects: [1, 1, 3, 3] } } }, 'BCD'],
  ]

  const COMBINED: Row[] = [
    [{ size: 1, open: true }, 'A'],
    [{ $and: [{ size: { $gte: 2 } }, { size: { $lt: 3 } }] }, 'B'],
    [{ $or: [{ size: 1 }, { tags: { $isNull: true } }] }, 'ACD'],
    [{ $not: { $or: [{ size: 1 }, { size: 2 }] } }, 'CD'],
  ]

  it.each([
    ['equality, lists and nulls', EQUALITY],
    ['ranges', RANGES],
    ['text', TEXT],
    ['arrays and structs', PARTS],
    ['positions and shapes', GEO],
    ['combinations', COMBINED],
  ])('supports %s', async (_, rows) => {
    const actual = await Promise.all(rows.map(async ([clause]) => [clause, await keysOf(clause)]))
    expect(actual).toEqual(rows)
  })

  it('reads nested structs, and their metadata', async () => {
    const site = (await client(Site).fetchOne('A')) as unknown as Record<string, unknown>
    expect(site['owner']).toEqual(OBJECTS[0]?.owner)
    const ordered = await client(Site).fetchPage({
      $orderBy: { 'owner.home.city': 'asc' } as never,
    })
    expect(ordered.data.map(({ $primaryKey }) => $primaryKey)).toEqual(['A', 'B', 'C', 'D'])
    const { properties } = await client.fetchMetadata(Site)
    expect(properties['owner']?.type).toMatchObject({ name: 'string', age: 'integer' })
  })

  it.each([
    [{ nme: 'x' }, 'PropertiesNotFound'],
    [{ owner: { 'home.street': 'x' } }, 'PropertiesNotFound'],
    [{ size: { $gt: 'many' } }, 'InvalidPropertyValue'],
    [{ $and: [{ size: { $gt: 3 } }, { size: { $lt: 1 } }] }, 'InvalidRangeQuery'],
    [{ name: { $matchesRegex: '(' } }, 'InvalidFilterValue'],
  ])('reports the error of %j by its name', async (clause, errorName) => {
    await expect(keysOf(clause)).rejects.toMatchObject({ errorName })
  })

  it('sorts by several properties in both directions', async () => {
    const sorted = async ($orderBy: object) => {
      const { data } = await client(Site).fetchPage({ $orderBy: $orderBy as never })
      return data.map(({ $primaryKey }) => $primaryKey).join('')
    }
    expect(await sorted({ size: 'desc' })).toBe('CBAD')
    expect(await sorted({ open: 'asc', size: 'desc' })).toBe('BACD')
    expect(await sorted({ at: 'desc', id: 'desc' })).toBe('BADC')
  })
})
