import { expect, it } from 'vitest'
import type { PropertyDefinition } from '../api/ontology.ts'
import { differencesOf, isEqual } from './differences.ts'

const text: PropertyDefinition = { type: 'string' }

it('lists what differs first, and says how', () => {
  const properties = { same: text, changed: text, added: text, removed: text, never: text }
  const before = { same: 'a', changed: 'a', removed: 'a' }
  const after = { same: 'a', changed: 'b', added: 'b', never: null }
  const differences = differencesOf({ properties }, before, after)
  expect(differences.map(({ property, kind }) => [property, kind])).toEqual([
    ['changed', 'changed'],
    ['added', 'added'],
    ['removed', 'removed'],
    ['same', 'same'],
    ['never', 'same'],
  ])
})

it('compares structs by member and arrays by order', () => {
  expect(isEqual({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 })).toBe(true)
  expect(isEqual([1, 2], [2, 1])).toBe(false)
  expect(isEqual([], {})).toBe(false)
  expect(isEqual({ a: 1 }, { a: 1, b: 2 })).toBe(false)
})
