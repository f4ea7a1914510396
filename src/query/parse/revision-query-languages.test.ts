import { describe, expect, it } from 'vitest'
import { failure, fieldOf, parserOf, unprocessable } from '../../../test/support/parsed-queries.ts'
import { EVERYTHING } from '../query.ts'
import type { QueryGrammar } from './parse-query.ts'
import { REVISION_1_QUERIES } from './revision-1-query-language.ts'
import { REVISION_2_QUERIES } from './revision-2-query-language.ts'

const parse1 = parserOf(REVISION_1_QUERIES)
const parse2 = parserOf(REVISION_2_QUERIES)
const equals = (property: string, value: string | number, structField?: string) => ({
  kind: 'compare',
  field: fieldOf(property, structField),
  operator: 'eq',
  value,
})

describe.each<[string, QueryGrammar, (name: string) => string]>([
  ['revision 1.0', REVISION_1_QUERIES, (name) => `properties.${name}`],
  ['revision 2.0', REVISION_2_QUERIES, (name) => name.replace('.', ':')],
])('a query of %s', (_, grammar, written) => {
  const parse = parserOf(grammar)
  const eq = (name: string, value: unknown) => ({ type: 'eq', field: written(name), value })

  it('compares properties and fields of structs', () => {
    expect(parse(eq('name', 'x'))).toEqual(equals('name', 'x'))
    expect(parse(eq('address.city', 'x'))).toEqual(equals('address', 'x', 'city'))
    for (const operator of ['lt', 'lte', 'gt', 'gte']) {
      const where = { type: operator, field: written('runways'), value: 2 }
      expect(parse(where)).toEqual({ ...equals('runways', 2), operator })
    }
  })

  it('combines queries', () => {
    const one = eq('name', 'x')
    const parsed = equals('name', 'x')
    for (const kind of ['and', 'or']) {
      const both = { kind, of: [parsed, parsed] }
      expect(parse({ type: kind, value: [one, one] })).toEqual(both)
    }
    expect(parse({ type: 'not', value: one })).toEqual({ kind: 'not', of: parsed })
  })

  const isNoQuery = 'is not a query: a JSON object with a type'

  it.each([
    ['eq', unprocessable('query', isNoQuery)],
    [{ type: 7 }, unprocessable('query', isNoQuery)],
    [{ type: 'not', value: {} }, unprocessable('query.value', isNoQuery)],
    [{ type: 'or', value: [{}] }, unprocessable('query.value[0]', isNoQuery)],
    [{ type: 'and', value: 7 }, unprocessable('query.value', 'is not a list of queries')],
    [{ type: 'and', value: [] }, failure('InvalidAndFilter', { path: 'query' })],
    [{ type: 'or', value: [] }, failure('InvalidOrFilter', { path: 'query' })],
    [{ type: 'eq', value: 1 }, unprocessable('query.field', 'is missing')],
    [{ type: 'eq', field: 7 }, unprocessable('query.field', 'is not a string')],
  ])('%j is refused', (query, refusal) => {
    expect(() => parse(query)).toThrow(refusal)
  })

  it('has three levels at most', () => {
    const nested = (depth: number): unknown =>
      depth === 0 ? eq('name', 'x') : { type: 'not', value: nested(depth - 1) }
    expect(parse(nested(3))).toMatchObject({ of: { of: { of: equals('name', 'x') } } })
    expect(() => parse(nested(4))).toThrow(
      failure('QueryDepthExceededLimit', { depth: 4, depthLimit: 3 }),
    )
  })

  it('has a hundred conditions at most', () => {
    const all = (count: number) => ({
      type: 'or',
      value: Array.from({ length: count }, () => eq('name', 'x')),
    })
    expect(parse(all(99))).toMatchObject({ of: { length: 99 } })
    expect(() => parse(all(100))).toThrow(failure('QueryTermsExceededLimit', { termsLimit: 100 }))
  })

  it('forms no inverted range, but can name its two sides', () => {
    const sides = [
      { type: 'gt', field: written('runways'), value: 3 },
      { type: 'lt', field: written('runways'), value: 2 },
    ]
    expect(parse({ type: 'or', value: sides })).toMatchObject({ kind: 'or' })
    expect(() => parse({ type: 'and', value: sides })).toThrow(
      failure('InvalidRangeQuery', { field: 'runways' }),
    )
  })
})

describe('a query of revision 1.0', () => {
  it.each([
    ['isNull', 'properties.tags', true, { kind: 'isNull', property: 'tags' }],
    ['contains', 'properties.tags', 'x', equals('tags', 'x')],
  ])('of type %s is parsed', (type, field, value, query) => {
    expect(parse1({ type, field, value })).toEqual(query)
  })

  it.each(['phrase', 'prefix', 'anyTerm', 'allTerms'])('of type %s searches a text', (type) => {
    const text = { kind: 'text', field: fieldOf('name'), match: type, terms: ['x'], fuzzy: false }
    const query = { type, field: 'properties.name', value: 'x' }
    expect(parse1(query)).toEqual(text)
    expect(() => parse1({ type, value: 'x' })).toThrow(unprocessable('query.field', 'is missing'))
    expect(() => parse1({ ...query, field: 'properties.runways' })).toThrow(
      failure('PropertyTypesSearchNotSupported', {
        parameters: { [type]: ['properties.runways'] },
      }),
    )
  })

  it.each([
    [undefined, false],
    [null, false],
    [false, false],
    [true, true],
  ])('is fuzzy with %j: %j', (fuzzy, expected) => {
    const query = { type: 'anyTerm', field: 'properties.name', value: 'x', fuzzy }
    expect(parse1(query)).toMatchObject({ fuzzy: expected })
  })

  it.each([
    [
      { type: 'anyTerm', field: 'properties.name', value: 'x', fuzzy: 1 },
      unprocessable('query.fuzzy', 'is not a boolean'),
    ],
    [{ type: 'eq', field: 'name', value: 'x' }, failure('InvalidFields', { properties: ['name'] })],
    [
      { type: 'eq', field: 'properties.nme', value: 'x' },
      failure('PropertiesNotFound', { objectType: 'airport', properties: ['nme'] }),
    ],
    [
      { type: 'eq', field: 'properties.runways', value: 'x' },
      failure('InvalidPropertyValue', {
        property: 'runways',
        propertyBaseType: 'integer',
        propertyValue: 'x',
        reason: 'is not an integer',
      }),
    ],
  ])('%j is refused', (query, refusal) => {
    expect(() => parse1(query)).toThrow(refusal)
  })
})

describe('a query of revision 2.0', () => {
  const position = (longitude: unknown, latitude: unknown) => ({ longitude, latitude })
  const within = (...polygon: unknown[]) => ({ type: 'geoPointWithin', polygon })
  const ring = [position(-180, -90), position(180, -90), position(0, 90), position(-180, -90)]

  it('is empty, a keyword or a polygon', () => {
    expect(parse2({ type: 'empty' })).toEqual(EVERYTHING)
    expect(parse2({ type: 'keyword', query: 'Red fox' })).toEqual({
      kind: 'text',
      field: undefined,
      match: 'allTerms',
      terms: ['red', 'fox'],
      fuzzy: false,
    })
  })

  it('finds the positions of every property, also in arrays', () => {
    const path = [
      [-180, -90],
      [180, -90],
      [0, 90],
      [-180, -90],
    ]
    const geo = (property: string) => ({
      kind: 'geo',
      field: fieldOf(property),
      relation: 'within',
      area: { kind: 'shape', members: [{ isPolygon: true, paths: [path] }] },
    })
    expect(parse2(within(...ring))).toEqual({
      kind: 'or',
      of: [geo('location'), geo('gates')],
    })
  })

  const [first, second, third, last] = ring
  const noLongitude = 'is not a number from -180 to 180'
  const noLatitude = 'is not a number from -90 to 90'
  const notClosed = 'is not closed: its last position must equal its first'
  const noRing = 'is not a ring of at least 4 positions'

  it.each([
    [{ type: 'geoPointWithin', polygon: 7 }, unprocessable('query.polygon', noRing)],
    [within(first, second, last), unprocessable('query.polygon', noRing)],
    [within(first, second, third, position(-180, 0)), unprocessable('query.polygon', notClosed)],
    [within(first, second, third, position(0, -90)), unprocessable('query.polygon', notClosed)],
    [within(first, 7, third, last), unprocessable('query.polygon[1].longitude', noLongitude)],
    [
      within(first, second, position(-180.1, 0), last),
      unprocessable('query.polygon[2].longitude', noLongitude),
    ],
    [
      within(first, position('1', 0), third, last),
      unprocessable('query.polygon[1].longitude', noLongitude),
    ],
    [
      within(first, position(0, 90.1), third, last),
      unprocessable('query.polygon[1].latitude', noLatitude),
    ],
    [
      within(first, position(0, '1'), third, last),
      unprocessable('query.polygon[1].latitude', noLatitude),
    ],
    [
      { type: 'keyword', query: 'x'.repeat(101) },
      failure('QueryTextExceededLimit', { field: 'query', lengthLimit: 100 }),
    ],
    [
      { type: 'eq', field: 'nme', value: 'x' },
      failure('InvalidOntologyTypes', {
        invalidPropertyTypes: ['nme'],
        invalidObjectTypes: [],
        invalidLinkTypes: [],
      }),
    ],
    [
      { type: 'eq', field: 'runways', value: 'x' },
      failure('InvalidPropertyValue', {
        propertyType: 'runways',
        propertyValue: 'x',
        reason: 'is not an integer',
      }),
    ],
  ])('%j is refused', (query, refusal) => {
    expect(() => parse2(query)).toThrow(refusal)
  })

  it('counts each position as a condition', () => {
    const polygon = (positions: number) =>
      within(...Array.from({ length: positions }, () => position(1, 2)))
    expect(() => parse2(polygon(99))).not.toThrow()
    expect(() => parse2(polygon(100))).toThrow(
      failure('QueryTermsExceededLimit', { termsLimit: 100 }),
    )
  })
})
