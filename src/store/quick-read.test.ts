import { describe, expect, it } from 'vitest'
import { pageRead } from '../../test/support/store-fixture.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import type { Comparison, OrderTerm, Query } from '../query/query.ts'
import type { PageRead } from './object-store.ts'
import { isQuick } from './quick-read.ts'

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
const text: Query = {
  kind: 'text',
  field: undefined,
  match: 'anyTerm',
  terms: ['x'],
  fuzzy: false,
}

describe('a read on the main thread', () => {
  it.each<[string, Partial<PageRead>]>([
    ['all objects', {}],
    ['all objects, counted by the store', { countsMatches: true }],
    ['all objects in the order of a property', { order: by('a') }],
    ['an equality', { query: compare('eq', 'a') }],
    [
      'an equality that was counted',
      { query: compare('eq', 'a'), countsMatches: true, matches: 3 },
    ],
    ['a range in its own order', { query: compare('gt', 'a'), order: by('a') }],
  ])('is one of %s', (_, wish) => {
    expect(isQuick(pageRead(TYPE, { countsMatches: false, ...wish }))).toBe(true)
  })

  it.each<[string, Partial<PageRead>]>([
    ['all objects in the order of two properties', { order: by('a', 'b') }],
    ['an equality that must be counted', { query: compare('eq', 'a'), countsMatches: true }],
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
  ])('is none of %s', (_, wish) => {
    expect(isQuick(pageRead(TYPE, { countsMatches: false, ...wish }))).toBe(false)
  })
})
