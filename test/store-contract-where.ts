/** The part of the store contract about the conditions of v2. */
import { describe, expect, it } from 'vitest'
import { QUERY_MAX_DEPTH, QUERY_MAX_TERMS, QUERY_MAX_TEXT_LENGTH } from '../src/contract/limits.ts'
import type { OntologyDefinition } from '../src/ontology/definition/definition-schema.ts'
import { parseQuery } from '../src/query/parse/parse-query.ts'
import { V2_QUERIES } from '../src/query/parse/v2-query-language.ts'
import type { Query } from '../src/query/query.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { createFixture } from './support/store-fixture.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'places',
  objectTypes: [
    {
      apiName: 'place',
      primaryKey: 'id',
      titleProperty: 'name',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        parts: { type: 'array', items: { type: 'struct', fields: { text: { type: 'string' } } } },
        spot: { type: 'geopoint' },
        stops: { type: 'array', items: { type: 'geopoint' } },
        shape: { type: 'geoshape' },
      },
    },
  ],
}

const NUMBERS: OntologyDefinition = {
  apiName: 'numbers',
  objectTypes: [
    {
      apiName: 'number',
      primaryKey: 'id',
      properties: { id: { type: 'string' }, real: { type: 'double' } },
    },
  ],
}

const point = (longitude: number, latitude: number) => ({
  type: 'Point',
  coordinates: [longitude, latitude],
})

const ring = (west: number, south: number, east: number, north: number) => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

const OBJECTS = [
  {
    id: 'a',
    name: 'The quick brown fox',
    tags: ['red', 'Green'],
    parts: [{ text: 'one two' }, { text: 'three' }],
    spot: point(8.5, 47.4),
    stops: [point(0, 0), point(179.5, 10)],
    // A square with a hole.
    shape: { type: 'Polygon', coordinates: [ring(0, 0, 10, 10), ring(4, 4, 6, 6)] },
  },
  {
    id: 'b',
    name: 'fox, very brown: quick!',
    tags: ['blue\nsky'],
    spot: point(-179.9, 89.9),
    stops: [point(-179.5, 10)],
    shape: {
      type: 'LineString',
      coordinates: [
        [-5, 5],
        [20, 5],
      ],
    },
  },
  {
    id: 'c',
    name: '50%_*?\\ 𝒳𝒳',
    parts: [{ text: 'two' }],
    spot: point(8.5, 47.5),
    shape: {
      type: 'MultiPoint',
      coordinates: [
        [5, 5],
        [50, 50],
      ],
    },
  },
  { id: 'd', name: '', shape: { type: 'GeometryCollection', geometries: [] } },
  { id: 'e' },
]

const limits = {
  maxDepth: QUERY_MAX_DEPTH,
  maxTerms: QUERY_MAX_TERMS,
  maxTextLength: QUERY_MAX_TEXT_LENGTH,
}

const box = (west: number, north: number, east: number, south: number) => ({
  topLeft: point(west, north),
  bottomRight: point(east, south),
})

const polygon = (...rings: number[][][]) => ({ type: 'Polygon', coordinates: rings })

const near = (center: object, value: number, unit: string) => ({
  type: 'withinDistanceOf',
  field: 'spot',
  value: { center, distance: { value, unit } },
})

const shaped = (mode: string, geometry: object, field = 'shape') => ({
  type: 'geoShapeV2',
  field,
  geometry: 'topLeft' in geometry ? { type: 'envelope', ...geometry } : geoJson(geometry),
  spatialFilterMode: mode,
})

const geoJson = (geometry: object) => ({ type: 'geoJson', geoJson: JSON.stringify(geometry) })

const structField = {
  propertyIdentifier: {
    type: 'structField',
    propertyApiName: 'parts',
    structFieldApiName: 'text',
  },
}

const named = (type: string, value: unknown, field = 'name') => ({ type, field, value })
const interval = (rule: object) => ({ type: 'interval', field: 'name', rule })
const match = (query: string, ordered: boolean, maxGaps?: number) => ({
  type: 'match',
  query,
  ordered,
  maxGaps,
})

/** Conditions, and the objects that they select. */
const CASES: readonly (readonly [condition: object, keys: string])[] = [
  [named('eq', ''), 'd'],
  [named('gt', 'T'), 'ab'],
  [named('in', ['', 'The quick brown fox']), 'ad'],
  [named('in', []), 'abcde'],
  [named('contains', 'red', 'tags'), 'a'],
  [named('isNull', true), 'e'],
  [{ type: 'eq', propertyIdentifier: { type: 'titleProperty' }, value: '' }, 'd'],
  [{ type: 'lte', propertyIdentifier: { type: 'primaryKeyProperty' }, value: 'b' }, 'ab'],
  [named('containsAllTerms', 'FOX quick'), 'ab'],
  [{ ...named('containsAnyTerm', 'foz'), fuzzy: true }, 'ab'],
  [named('containsAllTermsInOrder', 'quick brown'), 'a'],
  [named('containsAllTermsInOrderPrefixLastTerm', 'very bro'), 'b'],
  [named('startsWith', 'bro'), 'ab'],

  [named('wildcard', '*fox*'), 'ab'],
  [named('wildcard', 'The*'), 'a'],
  [named('wildcard', 'the*'), ''],
  [named('wildcard', '50%_\\*\\?\\\\ ??'), 'c'],
  [named('wildcard', ''), 'd'],
  [named('wildcard', '*'), 'abcd'],
  [named('wildcard', 'blue?sky', 'tags'), 'b'],
  [{ type: 'wildcard', ...structField, value: 't*' }, 'ac'],
  [named('regex', 'The (quick|slow) .+'), 'a'],
  [named('regex', '(The|fox).*'), 'ab'],
  [named('regex', '50[%_]{2}[*?\\\\]{3}\\s.𝒳'), 'c'],
  [named('regex', '"50%_*?\\\\ "𝒳+'), ''],
  [named('regex', '"50%_*?\\ "𝒳+'), 'c'],
  [named('regex', '[A-Z]?[a-z]+', 'tags'), 'a'],
  [named('regex', 'blue.sky', 'tags'), 'b'],
  [named('regex', '[^𝒳]*'), 'abd'],
  [{ type: 'not', value: named('regex', '.+') }, 'de'],

  [interval(match('brown fox', true)), 'a'],
  [interval(match('brown fox', false)), 'ab'],
  [interval(match('quick fox', true, 0)), ''],
  [interval(match('quick fox', true, 1)), 'a'],
  [interval(match('fox quick', true, 2)), 'b'],
  [interval(match('fox quick', true, 1)), ''],
  [interval(match('quick fox', false, 1)), 'a'],
  [interval({ type: 'prefixOnLastToken', query: 'fox bro' }), 'b'],
  [interval({ type: 'fuzzy', term: 'vrey' }), 'b'],
  [interval({ type: 'fuzzy', term: 'vrey', fuzziness: 0 }), ''],
  [
    interval({
      type: 'allOf',
      ordered: true,
      maxGaps: 0,
      rules: [
        { type: 'anyOf', rules: [match('quick', true), match('very', true)] },
        match('brown', true),
      ],
    }),
    'ab',
  ],
  [interval(match('?!', true)), ''],
  [{ type: 'interval', ...structField, rule: match('one two', true) }, 'a'],
  // Not across two values.
  [{ type: 'interval', ...structField, rule: match('two three', true) }, ''],

  [named('withinBoundingBox', box(8, 48, 9, 47), 'spot'), 'ac'],
  [named('intersectsBoundingBox', box(8, 47.4, 9, 47.4), 'spot'), 'a'],
  [named('doesNotIntersectBoundingBox', box(8, 48, 9, 47), 'spot'), 'b'],
  // Across the antimeridian.
  [named('withinBoundingBox', box(179, 20, -179, 0), 'stops'), 'ab'],
  [named('withinBoundingBox', box(-179, 20, 179, 0), 'stops'), 'a'],
  [named('doesNotIntersectBoundingBox', box(-1, 1, 1, -1), 'stops'), 'b'],
  [named('withinPolygon', polygon(ring(8, 47, 9, 48)), 'spot'), 'ac'],
  [named('withinPolygon', polygon(ring(8, 47, 9, 48), ring(8.4, 47.45, 8.6, 47.6)), 'spot'), 'a'],
  [named('intersectsPolygon', polygon(ring(-180, 80, 180, 90)), 'spot'), 'b'],
  [named('doesNotIntersectPolygon', polygon(ring(-180, 80, 180, 90)), 'spot'), 'ac'],
  [near(point(8.5, 47.4), 0, 'METERS'), 'a'],
  [near(point(8.5, 47.4), 11.1, 'KILOMETERS'), 'a'],
  [near(point(8.5, 47.4), 11.2, 'KILOMETERS'), 'ac'],
  [near(point(8.5, 47.4), 7, 'MILES'), 'ac'],
  // Across the antimeridian and at the pole.
  [near(point(179.9, 89.9), 100, 'METERS'), 'b'],
  [near(point(0, 90), 12, 'KILOMETERS'), 'b'],
  [near(point(0, 90), 11, 'KILOMETERS'), ''],
  [near(point(0, 0), 30_000, 'KILOMETERS'), 'abc'],
  [shaped('CONTAINS', point(8.5, 47.4), 'spot'), 'a'],
  [shaped('CONTAINS', polygon(ring(8, 47, 9, 48)), 'spot'), ''],
  [
    shaped(
      'WITHIN',
      {
        type: 'LineString',
        coordinates: [
          [8.5, 40],
          [8.5, 47.4],
        ],
      },
      'spot',
    ),
    'a',
  ],

  [shaped('INTERSECTS', box(4.5, 5.5, 5.5, 4.5)), 'bc'],
  [shaped('INTERSECTS', point(5, 4)), 'a'],
  [shaped('DISJOINT', box(4.5, 5.5, 5.5, 4.5)), 'ad'],
  [shaped('INTERSECTS', box(1, 9, 2, 8)), 'a'],
  [shaped('INTERSECTS', box(-90, 90, 90, -90)), 'abc'],
  [shaped('WITHIN', box(-10, 20, 20, 0)), 'ab'],
  [
    shaped(
      'WITHIN',
      polygon([
        [0, 0],
        [10, 0],
        [10, 10],
        [0, 10],
        [0, 0],
      ]),
    ),
    'a',
  ],
  [
    shaped('CONTAINS', {
      type: 'MultiPoint',
      coordinates: [
        [0, 5],
        [10, 5],
      ],
    }),
    'ab',
  ],
  [
    shaped('CONTAINS', {
      type: 'MultiPoint',
      coordinates: [
        [5, 5],
        [50, 50],
      ],
    }),
    'c',
  ],
  [named('intersectsPolygon', polygon(ring(4.5, 4.5, 5.5, 5.5)), 'shape'), 'bc'],
  [named('doesNotIntersectPolygon', polygon(ring(4.5, 4.5, 5.5, 5.5)), 'shape'), 'ad'],
  [named('withinBoundingBox', box(-10, 60, 60, -10), 'shape'), 'abc'],
]

export function whereContract({ name, open }: StoreUnderTest): void {
  describe(`the ${name} store: conditions of v2`, () => {
    it('finds the doubles of a list whose digits would be another integer', async () => {
      await using store = await open()
      const things = await createFixture(store, NUMBERS)
      const values = [392_390_926_581_891_100, -1e20, 2 ** 53, 1e300]
      await things.put(values.map((real, at) => ({ id: `d${at}`, real })))
      const field = { property: 'real', structField: undefined }
      const query: Query = { kind: 'oneOf', field, values: [...values, 0.5] }
      const page = await things.readPage({ query })
      expect([page.count, page.totalCount]).toEqual([4, 4])
    })

    it('selects the objects that satisfy them, now and as of a version', async () => {
      await using store = await open()
      const things = await createFixture(store, DEFINITION)
      const { version } = await things.put(OBJECTS)
      const parse = (where: object) =>
        parseQuery(V2_QUERIES, where, { objectType: things.type, limits })
      const read = async (where: object, options: object = {}) =>
        (await things.readKeys({ query: parse(where), ...options })).join('')
      for (const [where, keys] of CASES) {
        expect(await read(where), JSON.stringify(where)).toBe(keys)
        const others = OBJECTS.map(({ id }) => id).filter((id) => !keys.includes(id))
        const negated = { type: 'not', value: where }
        if ('type' in where && where.type !== 'not') {
          expect(await read(negated), `not ${JSON.stringify(where)}`).toBe(others.join(''))
        }
      }
      await things.put(OBJECTS.map(({ id }) => ({ id })))
      for (const [where, keys] of CASES) {
        expect(await read(where, { version }), JSON.stringify(where)).toBe(keys)
      }
    })
  })
}
