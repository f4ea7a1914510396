import { expect, it } from 'vitest'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Comparison, Query } from '../../../query/query.ts'
import { isIndexed, isKeyOrdered, maxMatches } from './indexed-query.ts'

const TYPE = {
  apiName: 'thing',
  primaryKey: { apiName: 'k' },
  properties: new Map(
    Object.entries({
      k: { apiName: 'k', type: { kind: 'scalar' } },
      a: { apiName: 'a', type: { kind: 'scalar' } },
      tags: { apiName: 'tags', type: { kind: 'array' } },
    }),
  ),
} as unknown as ObjectType

const compare = (value: number, property = 'a', operator: Comparison = 'eq'): Query => ({
  kind: 'compare',
  field: { property, structField: undefined },
  operator,
  value,
})
const oneOf = (count: number, property = 'a'): Query => ({
  kind: 'oneOf',
  field: { property, structField: undefined },
  values: Array.from({ length: count }, (_, n) => n),
})
const range = compare(1, 'a', 'gt')
const text: Query = { kind: 'text', field: undefined, match: 'anyTerm', terms: ['x'], fuzzy: false }
const and = (...of: Query[]): Query => ({ kind: 'and', of })
const or = (...of: Query[]): Query => ({ kind: 'or', of })

it.each<[string, Query, boolean]>([
  ['an equality', compare(1), true],
  ['a range', range, true],
  ['several values', oneOf(2), true],
  ['values of an array', oneOf(2, 'tags'), false],
  ['a text', text, false],
  ['a text and a range', and(text, range), true],
  ['a text or a range', or(text, range), false],
  ['ranges', or(range, range), true],
  ['no range', { kind: 'not', of: range }, false],
  ['ids', { kind: 'objectIds', ids: ['x'] }, true],
])('an index finds the matches of %s: %#', (_, query, expected) => {
  expect(isIndexed(query, TYPE)).toBe(expected)
})

it.each<[string, Query, boolean]>([
  ['an equality', compare(1), true],
  ['an equality among conditions', and(text, compare(1)), true],
  ['an element of an array', compare(1, 'tags'), false],
  ['a range', range, false],
  ['a text', text, false],
  [
    'a text that says eq',
    { ...text, operator: 'eq', field: { property: 'a' } } as unknown as Query,
    false,
  ],
])('an index has the matches of %s in key order: %#', (_, query, expected) => {
  expect(isKeyOrdered(query, TYPE)).toBe(expected)
})

it('no index has the matches of an equality of a field that has none', () => {
  const unindexed = new Map([['a', 'fewValues']] as const)
  expect(isKeyOrdered(compare(1), TYPE, unindexed)).toBe(false)
  expect(isKeyOrdered(and(compare(1), compare(1, 'k')), TYPE, unindexed)).toBe(true)
})

it.each<[string, Query, number]>([
  ['ids', { kind: 'objectIds', ids: ['a', 'b'] }, 2],
  ['a key', compare(1, 'k'), 1],
  ['a range of keys', compare(1, 'k', 'gt'), Infinity],
  ['another property', compare(1), Infinity],
  ['keys', oneOf(3, 'k'), 3],
  ['values of another property', oneOf(3), Infinity],
  ['a key and another condition', and(range, oneOf(3, 'k'), oneOf(2, 'k')), 2],
  ['keys or other keys', or(oneOf(3, 'k'), compare(1, 'k')), 4],
  ['nothing', or(), 0],
  ['a text', text, Infinity],
])('the largest number of matches of %s, case %#', (_, query, expected) => {
  expect(maxMatches(query, TYPE)).toBe(expected)
})
