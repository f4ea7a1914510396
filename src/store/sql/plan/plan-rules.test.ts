import { describe, expect, it } from 'vitest'
import { pageRequest } from '../../../../test/support/store-fixture.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Comparison, OrderTerm, Query } from '../../../query/query.ts'
import type { ReadPageRequest } from '../../object-store.ts'
import {
  byteBudget,
  fewMatches,
  hasFewMatches,
  isKeyWalk,
  isLongEquality,
  isQuick,
  readableVersion,
  toleratesOldDefinition,
  totalCountPolicy,
} from './plan-rules.ts'

const scalar = { kind: 'scalar' }
const TYPE = {
  apiName: 'thing',
  properties: new Map(
    Object.entries({
      a: { apiName: 'a', type: scalar },
      b: { apiName: 'b', type: scalar },
      tags: { apiName: 'tags', type: { kind: 'array' } },
      place: { apiName: 'place', type: { kind: 'struct' } },
    }),
  ),
} as unknown as ObjectType

const by = (...properties: readonly string[]): OrderTerm[] =>
  properties.map((property) => ({ property, direction: 'asc', nulls: 'last' }))
const compare = (operator: Comparison, property: string, structField?: string): Query => ({
  kind: 'compare',
  field: { property, structField },
  operator,
  value: 1,
})
const equals = (value: string, property: string, structField?: string): Query => ({
  kind: 'compare',
  field: { property, structField },
  operator: 'eq',
  value,
})
const text: Query = {
  kind: 'text',
  field: undefined,
  match: 'anyTerm',
  terms: ['x'],
  fuzzy: false,
}

function request(options: Partial<ReadPageRequest> = {}): ReadPageRequest {
  return pageRequest(TYPE, { includeTotalCount: false, ...options })
}

describe('a quick page', () => {
  it.each<[string, Partial<ReadPageRequest>]>([
    ['all objects', {}],
    ['all objects, counted', { includeTotalCount: true }],
    ['all objects in the order of a property', { order: by('a') }],
    ['an equality', { query: compare('eq', 'a') }],
    ['a range in its own order', { query: compare('gt', 'a'), order: by('a') }],
  ])('lists %s', (_, options) => {
    expect(isQuick(request(options))).toBe(true)
  })

  it.each<[string, Partial<ReadPageRequest>]>([
    ['all objects in the order of two properties', { order: by('a', 'b') }],
    ['an equality, counted', { query: compare('eq', 'a'), includeTotalCount: true }],
    ['an equality in another order', { query: compare('eq', 'a'), order: by('b') }],
    ['a range in key order', { query: compare('gt', 'a') }],
    ['a range in another order', { query: compare('gt', 'a'), order: by('b') }],
    ['a value of an array', { query: compare('eq', 'tags') }],
    ['a field of a struct', { query: compare('eq', 'place', 'city') }],
    ['a text', { query: text }],
    [
      'several conditions',
      { query: { kind: 'and', of: [compare('eq', 'a'), compare('eq', 'b')] } },
    ],
    ['a negation', { query: { kind: 'not', of: compare('eq', 'a') } }],
  ])('is not one of %s', (_, options) => {
    expect(isQuick(request(options))).toBe(false)
  })
})

it.each<[boolean, Partial<ReadPageRequest>]>([
  [true, {}],
  [true, { includeTotalCount: true, version: 3 }],
  [false, { order: by('a') }],
  [false, { query: text }],
])('a key walk is %s for %j', (expected, options) => {
  expect(isKeyWalk(request(options))).toBe(expected)
  expect(toleratesOldDefinition(request(options))).toBe(expected)
  expect(toleratesOldDefinition(request({ ...options, isOfDefinition: true }))).toBe(false)
})

it.each([
  ['the latest by default', undefined, 9],
  ['the oldest that is kept', 4, 4],
  ['the latest by number', 9, 9],
  ['none that was reclaimed', 3, undefined],
  ['none that was not published here', 10, undefined],
])('the readable version is %s', (_, version, expected) => {
  expect(readableVersion({ version }, { oldest: 4, published: 9 })).toBe(expected)
})

it.each([
  ['live', {}, true],
  ['live', { includeTotalCount: true, order: by('a') }, true],
  ['subtractClosed', { includeTotalCount: true, query: text }, true],
  ['countVisible', { includeTotalCount: true, query: text }, false],
  ['omitted', { query: text }, true],
] as const)('the total count is %s for %j', (expected, options, canSubtractClosed) => {
  expect(totalCountPolicy(request(options), { canSubtractClosed })).toBe(expected)
})

it.each([
  [100, 1_000_000, 10_000],
  [1, 9, 3],
  [1000, 0, 0],
])('in pages of %d of %d objects, %d matches are few', (maxObjects, liveCount, expected) => {
  expect(fewMatches(maxObjects, liveCount)).toBe(expected)
})

it.each([
  ['fit if even the largest would', 100, 1010, undefined],
  ['are measured if the largest would not', 100, 1009, { maxBytes: 1009, recordOverhead: 1 }],
])('the records of ten objects %s', (_, maxRecordBytes, maxBytes, expected) => {
  const record = { shape: [], selection: undefined }
  expect(byteBudget({ record, maxObjects: 10, maxBytes }, { maxRecordBytes })).toEqual(expected)
})

it.each<[string, Query, boolean]>([
  ['a long text', equals('x'.repeat(65), 'a'), true],
  ['a text that its prefix decides', equals('x', 'a'), false],
  ['a long text of a property with short ones', equals('x'.repeat(65), 'b'), false],
  ['a long text in a struct', equals('x'.repeat(65), 'a', 'field'), false],
  ['a number', compare('eq', 'a'), false],
  ['a range', { ...equals('x'.repeat(65), 'a'), operator: 'gt' } as Query, false],
  ['another condition', text, false],
])('an index alone cannot decide the equality with %s: %#', (_, query, expected) => {
  expect(isLongEquality(query, new Set(['a']))).toBe(expected)
})

it.each([
  [10, 10, true],
  [10, 11, false],
  [10, undefined, false],
  [undefined, 0, false],
])('of up to %s matches, %s are few: %s', (few, matches, expected) => {
  const plan = { kind: 'x', ...(few !== undefined && { fewMatches: few }) }
  expect(hasFewMatches(plan, matches)).toBe(expected)
})

it('an order by a field of a struct is not quick', () => {
  const order = by('place').map((term) => ({ ...term, structField: 'city' }))
  expect(isQuick(request({ order }))).toBe(false)
})
