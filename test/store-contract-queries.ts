/** The part of the store contract about queries and aggregations, over every kind of value. */
import { describe, expect, it } from 'vitest'
import { recordShape } from '../src/contract/object-record.ts'
import type { OntologyDefinition } from '../src/ontology/definition/definition-schema.ts'
import type { ScalarType } from '../src/ontology/definition/property-type.ts'
import type { Grouping, Metric } from '../src/query/aggregation/aggregation.ts'
import { readComparedValue } from '../src/query/compared-value.ts'
import type { Comparison, OrderTerm, Query, TextMatch } from '../src/query/query.ts'
import type { Cursor, ObjectStore } from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { groupsOf } from './support/groups-of.ts'
import { createFixture, pageRequest, type StoreFixture } from './support/store-fixture.ts'

const SCALARS = {
  id: 'string',
  word: 'string',
  yes: 'boolean',
  tiny: 'byte',
  whole: 'integer',
  large: 'long',
  real: 'double',
  exact: 'decimal',
  day: 'date',
  moment: 'timestamp',
} as const satisfies Record<string, ScalarType>

const DEFINITION: OntologyDefinition = {
  apiName: 'samples',
  objectTypes: [
    {
      apiName: 'sample',
      primaryKey: 'id',
      properties: {
        ...Object.fromEntries(Object.entries(SCALARS).map(([name, type]) => [name, { type }])),
        id: { type: 'string' },
        numbers: { type: 'array', items: { type: 'integer' } },
        names: {
          type: 'array',
          items: { type: 'struct', fields: { text: { type: 'string' }, rank: { type: 'long' } } },
        },
        place: { type: 'geopoint' },
      },
    },
  ],
}

const OBJECTS = [
  {
    id: 'a',
    word: 'The quick brown fox',
    yes: true,
    tiny: -128,
    whole: -5,
    large: '-9223372036854775808',
    real: '-Infinity',
    exact: '-10.5',
    day: '0001-01-01',
    moment: '1999-12-31T23:59:59.999999Z',
    numbers: [1, 2],
    names: [
      { text: 'Zürich', rank: '9007199254740993' },
      { text: 'Turicum', rank: '2' },
    ],
    place: { type: 'Point', coordinates: [8.5, 47.4] },
  },
  {
    id: 'b',
    word: 'quick-witted foxes',
    yes: false,
    tiny: 0,
    whole: 0,
    large: '9007199254740993',
    real: 0.1,
    exact: '9.25',
    day: '2024-02-29',
    moment: '2000-01-01T00:00:00Z',
    numbers: [2, 3, 3],
    names: [{ text: 'Genève' }],
    place: { type: 'Point', coordinates: [6.1, 46.2] },
  },
  {
    id: 'c',
    word: 'brown quick',
    yes: true,
    tiny: 127,
    whole: 2147483647,
    large: '9223372036854775807',
    real: 'NaN',
    exact: '100',
    day: '9999-12-31',
    moment: '2024-02-29T12:00:00.5Z',
    numbers: [],
    place: { type: 'Point', coordinates: [10, 50] },
  },
  { id: 'd' },
]

const field = (property: string, structField?: string) => ({ property, structField })

function compare(property: keyof typeof SCALARS, operator: Comparison, value: unknown): Query {
  return {
    kind: 'compare',
    field: field(property),
    operator,
    value: readComparedValue(SCALARS[property], value),
  }
}

function text(
  match: TextMatch,
  terms: string[],
  property: string | undefined,
  fuzzy = false,
): Query {
  const where = property === undefined ? undefined : field(property)
  return { kind: 'text', field: where, match, terms, fuzzy }
}

const square = (west: number, south: number, east: number, north: number): Query => ({
  kind: 'geo',
  field: field('place'),
  relation: 'within',
  area: {
    kind: 'shape',
    members: [
      {
        isPolygon: true,
        paths: [
          [
            [west, south],
            [east, south],
            [east, north],
            [west, north],
            [west, south],
          ],
        ],
      },
    ],
  },
})

const QUERIES: readonly (readonly [what: string, query: Query, matches: string])[] = [
  ['everything', { kind: 'everything' }, 'abcd'],
  ['text equal', compare('word', 'eq', 'brown quick'), 'c'],
  ['text in code point order', compare('word', 'lt', 'a'), 'a'],
  ['booleans', compare('yes', 'eq', true), 'ac'],
  ['bytes', compare('tiny', 'gte', 0), 'bc'],
  ['integers', compare('whole', 'gt', 0), 'c'],
  ['longs to the last digit', compare('large', 'gt', '9007199254740992'), 'bc'],
  ['the least long', compare('large', 'eq', '-9223372036854775808'), 'a'],
  ['NaN after every double', compare('real', 'gte', 'Infinity'), 'c'],
  ['minus infinity before every double', compare('real', 'lt', 0), 'a'],
  ['decimals as numbers', compare('exact', 'lt', '9.3'), 'ab'],
  ['decimals of another scale', compare('exact', 'eq', '100.00'), 'c'],
  ['dates', compare('day', 'lte', '2024-02-29'), 'ab'],
  ['microseconds', compare('moment', 'lt', '2000-01-01T00:00:00Z'), 'a'],
  [
    'a missing value, which a negation matches',
    { kind: 'not', of: compare('whole', 'gt', 0) },
    'abd',
  ],
  ['null scalars', { kind: 'isNull', property: 'whole' }, 'd'],
  ['null arrays, including empty ones', { kind: 'isNull', property: 'names' }, 'cd'],
  ['null points', { kind: 'isNull', property: 'place' }, 'd'],
  ['any element', { kind: 'compare', field: field('numbers'), operator: 'eq', value: 3 }, 'b'],
  [
    'any element in an order',
    { kind: 'compare', field: field('numbers'), operator: 'lt', value: 2 },
    'a',
  ],
  [
    'fields of structs, exactly',
    {
      kind: 'compare',
      field: field('names', 'rank'),
      operator: 'gt',
      value: { long: '9007199254740992' },
    },
    'a',
  ],
  ['a phrase', text('phrase', ['quick', 'brown'], 'word'), 'a'],
  ['a phrase in the order of its terms', text('phrase', ['brown', 'quick'], 'word'), 'c'],
  ['a prefix of the last term', text('prefix', ['quick', 'wit'], 'word'), 'b'],
  ['any term', text('anyTerm', ['foxes', 'brown'], 'word'), 'abc'],
  ['all terms', text('allTerms', ['brown', 'quick'], 'word'), 'ac'],
  ['similar terms', text('anyTerm', ['foxs'], 'word', true), 'ab'],
  ['terms anywhere in the object', text('allTerms', ['zürich'], undefined), 'a'],
  ['no terms of another property', text('allTerms', ['zürich'], 'word'), ''],
  ['points in a polygon', square(6, 46, 9, 48), 'ab'],
  ['points on its edge', square(10, 40, 20, 50), 'c'],
  ['both', { kind: 'and', of: [compare('yes', 'eq', true), compare('whole', 'lt', 0)] }, 'a'],
  [
    'either',
    { kind: 'or', of: [compare('whole', 'eq', 0), { kind: 'isNull', property: 'word' }] },
    'bd',
  ],
  [
    'nested conditions of several kinds',
    {
      kind: 'and',
      of: [
        {
          kind: 'not',
          of: { kind: 'and', of: [text('phrase', ['fox'], 'word'), square(6, 46, 9, 48)] },
        },
        { kind: 'or', of: [compare('tiny', 'gte', 0), { kind: 'isNull', property: 'tiny' }] },
      ],
    },
    'bcd',
  ],
]

/** For each scalar property, the objects that have a value, in ascending order. */
const ORDERS: readonly (readonly [property: string, ascending: string])[] = [
  ['word', 'acb'],
  ['yes', 'bac'],
  ['tiny', 'abc'],
  ['whole', 'abc'],
  ['large', 'abc'],
  ['real', 'abc'],
  ['exact', 'abc'],
  ['day', 'abc'],
  ['moment', 'abc'],
]

async function samples(store: ObjectStore): Promise<StoreFixture> {
  const things = await createFixture(store, DEFINITION)
  // Earlier row versions must match only as of their own version.
  await things.put(OBJECTS.map(({ id }) => ({ id, word: 'nothing of this' })))
  await things.put(OBJECTS)
  return things
}

export function queryContract({ name, open }: StoreUnderTest): void {
  describe(`the ${name} store: queries`, () => {
    it('finds the matches, now and as of a version, in pages of any size', async () => {
      await using store = await open()
      const things = await samples(store)
      for (const [what, query, matches] of QUERIES) {
        const keys = async (version: number | undefined, maxObjects: number) => {
          const keysSeen: unknown[] = []
          let after: Cursor | undefined
          for (let more = true; more; ) {
            const options = { query, after, version, maxObjects }
            keysSeen.push(...(await things.readKeys(options)))
            const page = await things.readPage(options)
            expect(page.totalCount, what).toBe(matches.length)
            after = page.last
            more = page.more
          }
          return [what, keysSeen.join('')]
        }
        expect(await keys(undefined, 10)).toEqual([what, matches])
        expect(await keys(2, 1)).toEqual([what, matches])
      }
      expect(
        await things.readKeys({ version: 1, query: text('anyTerm', ['nothing'], 'word') }),
      ).toEqual(['a', 'b', 'c', 'd'])
      expect(await things.readKeys({ query: text('anyTerm', ['nothing'], 'word') })).toEqual([])
    })

    it('counts the objects that match, however many past rows there are', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit(Array.from({ length: 50 }, (_, n) => [`k${n}`, 'x']))
      const matching = async (value: string) => {
        const field = { property: 'text', structField: undefined }
        const query = { kind: 'compare', operator: 'eq', field, value } as const
        return (await things.readPage({ query, maxObjects: 1 })).totalCount
      }
      expect([await matching('x'), await matching('y')]).toEqual([50, 0])
      await things.commit([
        ['k1', 'y'],
        ['k2', 'y'],
        ['k3', null],
      ])
      expect([await matching('x'), await matching('y')]).toEqual([47, 2])
      await things.commit(Array.from({ length: 40 }, (_, n) => [`k${n}`, 'y']))
      expect([await matching('x'), await matching('y')]).toEqual([10, 40])
    })

    it('orders by every scalar type, in both directions, with nulls first or last', async () => {
      await using store = await open()
      const things = await samples(store)
      const walk = async (order: readonly OrderTerm[], version?: number) => {
        const keysSeen: unknown[] = []
        let after: Cursor | undefined
        for (let more = true; more; ) {
          const options = { order, after, version, maxObjects: 1 }
          keysSeen.push(...(await things.readKeys(options)))
          ;({ last: after, more } = await things.readPage(options))
        }
        return keysSeen.join('')
      }
      for (const [property, ascending] of ORDERS) {
        // The key breaks ties, in the direction of the last term.
        const descending = property === 'yes' ? 'cab' : [...ascending].toReversed().join('')
        const by = (direction: 'asc' | 'desc', nulls: 'first' | 'last') =>
          walk([{ property, direction, nulls }], nulls === 'first' ? 2 : undefined)
        expect([property, await by('asc', 'last')]).toEqual([property, `${ascending}d`])
        expect([property, await by('asc', 'first')]).toEqual([property, `d${ascending}`])
        expect([property, await by('desc', 'last')]).toEqual([property, `${descending}d`])
        expect([property, await by('desc', 'first')]).toEqual([property, `d${descending}`])
      }
      const mixed: OrderTerm[] = [
        { property: 'yes', direction: 'desc', nulls: 'first' },
        { property: 'whole', direction: 'asc', nulls: 'last' },
      ]
      expect(await walk(mixed)).toBe('dacb')
    })

    it('continues after a row that was moved or deleted', async () => {
      await using store = await open()
      const things = await samples(store)
      const order: OrderTerm[] = [{ property: 'whole', direction: 'asc', nulls: 'last' }]
      const { last } = await things.readPage({ order, maxObjects: 2 })
      await things.put([{ id: 'b', whole: 99 }])
      expect(await things.readKeys({ order, after: last })).toEqual(['b', 'c', 'd'])
      await things.commit([['b', null]])
      expect(await things.readKeys({ order, after: last })).toEqual(['c', 'd'])
      expect(await things.readKeys({ order, after: last, version: 2 })).toEqual(['c', 'd'])
    })

    it('writes the selected properties as they were stored, with the requested separator', async () => {
      await using store = await open()
      const things = await samples(store)
      const { records } = await things.readPage({
        maxObjects: 2,
        record: {
          shape: recordShape('2.0', 'sample'),
          selection: ['id', 'large', 'exact', 'numbers', 'names'],
          separator: '\n',
        },
      })
      expect(Buffer.from(records).toString()).toBe(
        [
          '{"primaryKey":"a","objectType":"sample","properties":{"id":"a","large":"-9223372036854775808","exact":"-10.5","numbers":[1,2],"names":[{"text":"Zürich","rank":"9007199254740993"},{"text":"Turicum","rank":"2"}]}}',
          '{"primaryKey":"b","objectType":"sample","properties":{"id":"b","large":"9007199254740993","exact":"9.25","numbers":[2,3,3],"names":[{"text":"Genève"}]}}',
        ].join('\n'),
      )
    })

    it('stores texts that are too long for an index', async () => {
      await using store = await open()
      const things = await createFixture(store, DEFINITION)
      const long = (end: string) => `${'lorem '.repeat(20_000)}${end}`
      const incompressible = Array.from({ length: 20_000 }, (_, n) => `x${n * 7919}`).join('')
      const objects = [
        { id: 'a', word: long('b') },
        { id: 'b', word: long('a') },
        { id: 'c', word: 'short' },
        { id: 'd', word: incompressible },
      ]
      await things.put(objects)
      expect(await things.readKeys({ query: compare('word', 'eq', long('a')) })).toEqual(['b'])
      expect(await things.readKeys({ query: compare('word', 'eq', incompressible) })).toEqual(['d'])
      expect(await things.readKeys({ query: compare('word', 'lt', long('b')) })).toEqual(['b'])
      expect(await things.readKeys({ query: text('allTerms', ['lorem', 'b'], 'word') })).toEqual([
        'a',
      ])
      expect(
        await things.readKeys({ query: text('prefix', [incompressible.slice(0, 900)], 'word') }),
      ).toEqual(['d'])
      const order: OrderTerm[] = [{ property: 'word', direction: 'desc', nulls: 'last' }]
      expect(await things.readKeys({ order })).toEqual(['d', 'c', 'a', 'b'])
    })
  })

  describe(`the ${name} store: aggregates`, () => {
    const aggregate = async (
      store: ObjectStore,
      things: StoreFixture,
      metrics: readonly Metric[],
      groupings: readonly Grouping[] = [],
      query: Query = { kind: 'everything' },
    ) => {
      const aggregation = { metrics, groupings }
      const result = await store.aggregate({
        sources: [{ objectType: things.type, query }],
        aggregation,
        maxGroups: 100,
      })
      return groupsOf(result).map(({ keys, metrics: values }) => [...keys, ...values])
    }
    const count: Metric = { kind: 'count', name: 'count' }

    it('computes every metric, exactly', async () => {
      await using store = await open()
      const things = await samples(store)
      const one = async (kind: Metric['kind'], property: keyof typeof SCALARS) => {
        const type = SCALARS[property]
        const metric = { kind, name: 'm', property, type } as Metric
        return (await aggregate(store, things, [metric]))[0]?.[0]
      }
      expect(await aggregate(store, things, [count])).toEqual([[4]])
      expect(await one('min', 'whole')).toBe(-5)
      expect(await one('max', 'large')).toBe(Number(9223372036854775807n))
      expect(await one('max', 'real')).toBe(Number.NaN)
      expect(await one('min', 'real')).toBe(Number.NEGATIVE_INFINITY)
      expect(await one('sum', 'exact')).toBe(98.75)
      expect(await one('avg', 'whole')).toBe((2147483647 - 5) / 3)
      expect(await one('sum', 'large')).toBe(Number(9007199254740993n - 1n))
      expect(await one('min', 'moment')).toBe(Date.UTC(1999, 11, 31, 23, 59, 59, 999) + 0.999)
      expect(await one('distinct', 'yes')).toBe(2)
      const nothing = { kind: 'compare', field: field('whole'), operator: 'eq', value: 77 } as const
      const sum: Metric = { kind: 'sum', name: 'sum', property: 'whole', type: 'integer' }
      expect(await aggregate(store, things, [count, sum], [], nothing)).toEqual([[0, undefined]])
    })

    it('groups by value, width, range and duration, within a query', async () => {
      await using store = await open()
      const things = await samples(store)
      const by = (grouping: Grouping, query?: Query) =>
        aggregate(store, things, [count], [grouping], query)
      expect(
        await by({ kind: 'exact', property: 'yes', type: 'boolean', maxGroups: undefined }),
      ).toEqual([
        ['false', 1],
        ['true', 2],
      ])
      expect(
        await by(
          { kind: 'fixedWidth', property: 'whole', type: 'integer', width: 10 },
          compare('tiny', 'lt', 100),
        ),
      ).toEqual([
        ['-10', 1],
        ['0', 1],
      ])
      const range = (low: string, high: string) => ({
        low: { value: readComparedValue('decimal', low), inclusive: true },
        high: { value: readComparedValue('decimal', high), inclusive: false },
        json: `"${low} to ${high}"`,
      })
      expect(
        await by({
          kind: 'ranges',
          property: 'exact',
          type: 'decimal',
          ranges: [range('0', '200'), range('-100', '50')],
        }),
      ).toEqual([
        ['"0 to 200"', 2],
        ['"-100 to 50"', 2],
      ])
      expect(
        await by({
          kind: 'duration',
          property: 'moment',
          type: 'timestamp',
          step: { unit: 'seconds', count: 86_400 },
        }),
      ).toEqual([
        ['"1999-12-31T00:00:00Z"', 1],
        ['"2000-01-01T00:00:00Z"', 1],
        ['"2024-02-29T00:00:00Z"', 1],
      ])
    })

    it('returns many groups in pieces', async () => {
      await using store = await open()
      const things = await createFixture(store, DEFINITION)
      const ids = Array.from({ length: 500 }, (_, n) => `${'é'.repeat(200)}${1000 + n}`)
      await things.put(ids.map((id) => ({ id })))
      const groupings: Grouping[] = [
        { kind: 'exact', property: 'id', type: 'string', maxGroups: undefined },
      ]
      const result = await store.aggregate({
        sources: [pageRequest(things.type)],
        aggregation: { metrics: [count], groupings },
        maxGroups: 500,
      })
      expect(result).toMatchObject({ records: [expect.anything(), expect.anything()] })
      expect(groupsOf(result).map(({ keys }) => keys)).toEqual(ids.map((id) => [`"${id}"`]))
    })

    it('refuses more groups than allowed', async () => {
      await using store = await open()
      const things = await samples(store)
      const groupings: Grouping[] = [
        { kind: 'exact', property: 'id', type: 'string', maxGroups: undefined },
      ]
      const request = {
        sources: [pageRequest(things.type)],
        aggregation: { metrics: [count], groupings },
      }
      await expect(store.aggregate({ ...request, maxGroups: 3 })).rejects.toMatchObject({
        errorName: 'AggregationGroupCountExceededLimit',
      })
      expect(groupsOf(await store.aggregate({ ...request, maxGroups: 4 }))).toHaveLength(4)
    })
  })
}
