import { describe, expect, it } from 'vitest'
import {
  AIRPORT,
  failure,
  fieldOf,
  LIMITS,
  parserOf,
  unprocessable,
} from '../../../test/support/parsed-queries.ts'
import { NOTHING } from '../combine-queries.ts'
import { FIELD_MAX_LENGTH } from '../resolve-field.ts'
import { parseQuery } from './parse-query.ts'
import { V2_QUERIES } from './v2-query-language.ts'

const parse = parserOf(V2_QUERIES)
const notSupported = (type: string, property: string) =>
  failure('PropertyTypesSearchNotSupported', { parameters: { [type]: [property] } })
const tooManyTerms = failure('QueryTermsExceededLimit', { termsLimit: 100 })
const tooLong = (field: string) =>
  failure('QueryTextExceededLimit', { field, lengthLimit: LIMITS.maxTextLength })

describe('a comparison', () => {
  it.each([
    ['eq', 'name', 'x', 'x'],
    ['eq', 'isOpen', true, 1],
    ['eq', 'tags', 'x', 'x'],
    ['lt', 'runways', 2, 2],
    ['gte', 'name', 'x', 'x'],
    ['gt', 'height', 'Infinity', { double: 'Infinity' }],
    ['eq', 'name', 'x'.repeat(100), 'x'.repeat(100)],
  ])('%s of %s with %j is parsed', (type, field, value, compared) => {
    expect(parse({ type, field, value })).toEqual({
      kind: 'compare',
      field: fieldOf(field),
      operator: type,
      value: compared,
    })
  })

  it.each([
    ['lt', 'isOpen', true, notSupported('lt', 'isOpen')],
    ['eq', 'location', 'x', notSupported('eq', 'location')],
    ['eq', 'address', 'x', notSupported('eq', 'address')],
    ['gt', 'photo', 'x', notSupported('gt', 'photo')],
    ['eq', 'name', 'x'.repeat(101), tooLong('name')],
    [
      'eq',
      'runways',
      'two',
      failure('InvalidPropertyValue', {
        property: 'runways',
        propertyBaseType: 'integer',
        propertyValue: 'two',
        reason: 'is not an integer',
      }),
    ],
  ])('%s of %s with %j is refused', (type, field, value, refusal) => {
    expect(() => parse({ type, field, value })).toThrow(refusal)
  })

  it('has a field that is not longer than any name', () => {
    const equals = (apiName: string) => {
      const property = { apiName, type: { kind: 'scalar', type: 'string' } } as const
      const objectType = { ...AIRPORT, properties: new Map([[apiName, property]]) }
      const where = { type: 'eq', field: apiName, value: 'x' }
      return parseQuery(V2_QUERIES, where, { objectType, limits: LIMITS })
    }
    expect(equals('x'.repeat(FIELD_MAX_LENGTH))).toMatchObject({ kind: 'compare' })
    expect(() => equals('x'.repeat(FIELD_MAX_LENGTH + 1))).toThrow(
      expect.objectContaining({ errorName: 'PropertiesNotFound' }),
    )
  })
})

describe('in', () => {
  const among = (field: string, count: number) =>
    parse({ type: 'in', field, value: Array.from({ length: count }, () => 'x') })

  it('counts as one condition, and one more for each hundred values', () => {
    expect(among('name', 9999)).toMatchObject({ kind: 'oneOf', values: { length: 9999 } })
    expect(() => among('name', 10_000)).toThrow(tooManyTerms)
  })

  it('is not supported for values that cannot be compared', () => {
    expect(() => among('location', 1)).toThrow(notSupported('in', 'location'))
  })

  it('has a list of values', () => {
    expect(() => parse({ type: 'in', field: 'name', value: 'x' })).toThrow(
      unprocessable('where.value', 'is not a list of values'),
    )
  })

  it('counts the values of all conditions', () => {
    const some = { type: 'in', field: 'name', value: Array.from({ length: 9000 }, () => 'x') }
    const context = { objectType: AIRPORT, limits: { ...LIMITS, maxTerms: 1000 } }
    expect(() =>
      parseQuery(V2_QUERIES, { type: 'or', value: [some, some, some] }, context),
    ).toThrow(
      expect.objectContaining({ parameters: expect.objectContaining({ termsLimit: 25_000 }) }),
    )
  })
})

describe('contains', () => {
  it('compares the values of an array', () => {
    expect(parse({ type: 'contains', field: 'tags', value: 'x' })).toEqual({
      kind: 'compare',
      field: fieldOf('tags'),
      operator: 'eq',
      value: 'x',
    })
  })

  it.each(['name', 'gates', 'offices'])('is not supported for %s', (field) => {
    expect(() => parse({ type: 'contains', field, value: 'x' })).toThrow(
      notSupported('contains', field),
    )
  })
})

describe('isNull', () => {
  const isNull = { kind: 'isNull', property: 'address', structField: 'city' }

  it('is true or false', () => {
    const field = 'address.city'
    expect(parse({ type: 'isNull', field, value: true })).toEqual(isNull)
    expect(parse({ type: 'isNull', field, value: false })).toEqual({ kind: 'not', of: isNull })
    expect(() => parse({ type: 'isNull', field, value: 'true' })).toThrow(
      unprocessable('where.value', 'is not a boolean'),
    )
  })
})

describe('a pattern', () => {
  const literal = (text: string) => ({
    kind: 'pattern',
    field: fieldOf('name'),
    pattern: { kind: 'literal', text },
  })

  it('is a wildcard or a regular expression', () => {
    expect(parse({ type: 'wildcard', field: 'name', value: 'a.b' })).toEqual(literal('a.b'))
    expect(parse({ type: 'regex', field: 'name', value: 'a\\.b' })).toEqual(literal('a.b'))
  })

  it('counts as one condition, and one more for each twenty characters', () => {
    const repeated = (count: number) =>
      parse({
        type: 'or',
        value: Array.from({ length: count }, () => ({
          type: 'regex',
          field: 'name',
          value: 'a{199}',
        })),
      })
    expect(repeated(9)).toMatchObject({ of: { length: 9 } })
    expect(() => repeated(10)).toThrow(tooManyTerms)
  })

  const invalid = (value: string, expectedType: string, reason: string) =>
    failure('InvalidFilterValue', { field: 'name', value, expectedType, reason })

  it.each([
    ['wildcard', 'runways', 'x', notSupported('wildcard', 'runways')],
    ['regex', 'location', 'x', notSupported('regex', 'location')],
    ['regex', 'name', undefined, unprocessable('where.value', 'is missing')],
    ['regex', 'name', null, unprocessable('where.value', 'is missing')],
    ['regex', 'name', 7, unprocessable('where.value', 'is not a string')],
    ['regex', 'name', 'x'.repeat(101), tooLong('name')],
    ['regex', 'name', '(', invalid('(', 'regular expression', 'has a ( without a )')],
    [
      'wildcard',
      'name',
      '\\',
      invalid('\\', 'wildcard', 'ends with \\, which escapes the next character'),
    ],
    [
      'regex',
      'name',
      '(a{99}){9}'.repeat(3),
      expect.objectContaining({ errorName: 'InvalidFilterValue' }),
    ],
  ])('%s of %s with %j is refused', (type, field, value, refusal) => {
    expect(() => parse({ type, field, value })).toThrow(refusal)
  })
})

describe('a search for terms', () => {
  const text = { kind: 'text', field: fieldOf('name'), fuzzy: false }

  it.each([
    ['containsAllTerms', { ...text, match: 'allTerms', terms: ['red', 'fox'] }],
    ['containsAnyTerm', { ...text, match: 'anyTerm', terms: ['red', 'fox'] }],
    ['containsAllTermsInOrder', { ...text, match: 'phrase', terms: ['red', 'fox', 'red'] }],
    [
      'containsAllTermsInOrderPrefixLastTerm',
      { ...text, match: 'prefix', terms: ['red', 'fox', 'red'] },
    ],
    ['startsWith', { ...text, match: 'prefix', terms: ['red', 'fox', 'red'] }],
  ])('by %s is parsed', (type, query) => {
    expect(parse({ type, field: 'name', value: 'Red fox  red' })).toEqual(query)
    expect(parse({ type, field: 'name', value: ' ' })).toEqual(NOTHING)
  })

  it('can be fuzzy, with ten terms at most', () => {
    const fuzzy = (count: number, value: unknown = true) =>
      parse({
        type: 'containsAnyTerm',
        field: 'name',
        value: Array.from({ length: count }, (_, n) => `x${n}`).join(' '),
        fuzzy: value,
      })
    expect(fuzzy(10)).toMatchObject({ fuzzy: true, terms: { length: 10 } })
    expect(fuzzy(11, false)).toMatchObject({ fuzzy: false })
    expect(fuzzy(11, null)).toMatchObject({ fuzzy: false })
    expect(() => fuzzy(11)).toThrow(
      failure('QueryTermsExceededLimit', { termsLimit: 10, fuzzy: true }),
    )
    expect(() => fuzzy(1, 'yes')).toThrow(unprocessable('where.fuzzy', 'is not a boolean'))
  })

  it('counts as one condition, and five more for each term', () => {
    const terms = (count: number) =>
      parse({
        type: 'containsAnyTerm',
        field: 'name',
        value: Array.from({ length: count }, (_, n) => `x${n}`).join(' '),
      })
    expect(terms(19)).toMatchObject({ terms: { length: 19 } })
    expect(() => terms(20)).toThrow(tooManyTerms)
  })

  it.each([
    ['runways', 'x', notSupported('startsWith', 'runways')],
    ['name', 7, unprocessable('where.value', 'is not a string')],
    ['name', 'x'.repeat(101), tooLong('name')],
    ['name', '\ud800', unprocessable('where.value', 'contains an unpaired surrogate')],
  ])('in %s for %j is refused', (field, value, refusal) => {
    expect(() => parse({ type: 'startsWith', field, value })).toThrow(refusal)
  })
})
