import { expect, it } from 'vitest'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import { findUnindexed } from './unindexed-fields.ts'

const OBJECTS = 5000
const FIELDS = [
  { property: 'a', structField: undefined },
  { property: 'b', structField: 'c' },
]

const NESTED = fieldKey({ property: 'b', structField: 'c' })

/** Returns why fields with these values have no index. */
function reasons(
  valueAt: (object: number) => ColumnValue | null,
  { objects = OBJECTS, isMeasured = false } = {},
) {
  const values = Array.from({ length: objects }, (_, object) => valueAt(object))
  const fields = FIELDS.map((field) => ({ ...field, isMeasured }))
  return Object.fromEntries(findUnindexed(fields, objects, () => values))
}

const words = (count: number, object: number) =>
  Array.from({ length: count }, (_, at) => `w${object * count + at}`).join(' ')

it.each<[string, (object: number) => ColumnValue | null, object]>([
  ['few values', (n) => n % 400, { a: 'fewValues', [NESTED]: 'fewValues' }],
  ['few texts, however long', (n) => words(20, n % 7), { a: 'fewValues', [NESTED]: 'fewValues' }],
  ['as many values as objects', (n) => n, {}],
  [
    'a few thousand values',
    (n) => (n * 7919) % 3000,
    { a: 'unselective', [NESTED]: 'unselective' },
  ],
  ['many values, most of which recur once', (n) => (n * 7919) % 4800, {}],
  ['values that change with the key', (n) => Math.floor(n / 50), {}],
  [
    'few values of some objects',
    (n) => (n % 10 ? null : n % 3),
    { a: 'fewValues', [NESTED]: 'fewValues' },
  ],
  ['many values of some objects', (n) => (n % 10 ? null : n), {}],
  ['values of too few objects', (n) => (n % 100 ? null : 1), {}],
  ['no values', () => null, {}],
  [
    'free texts, of which only those of properties are in the body',
    (n) => words(5, n),
    { a: 'freeText' },
  ],
  ['short texts', (n) => words(4, n), {}],
  ['texts without spaces', (n) => words(30, n).replaceAll(' ', '/'), {}],
])('decides about %s', (_, valueAt, expected) => {
  expect(reasons(valueAt)).toEqual(expected)
})

it.each<[string, (object: number) => ColumnValue | null]>([
  ['as many values as objects', (n) => n],
  ['values of few objects', (n) => (n % 100 ? null : n)],
  ['no values', () => null],
])('leaves measured %s without an index', (_, valueAt) => {
  const expected = { a: 'unselective', [NESTED]: 'unselective' }
  expect(reasons(valueAt, { isMeasured: true })).toEqual(expected)
})

it('needs a thousand objects', () => {
  expect(reasons(() => 1, { objects: 999 })).toEqual({})
  expect(reasons(() => 1, { objects: 1000 })).not.toEqual({})
})
