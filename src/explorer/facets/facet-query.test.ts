import { expect, it } from 'vitest'
import { isUseful } from './facet-query.ts'

it('finds a facet useful unless every object has a value of its own', () => {
  const one = { value: 'a', count: 1 }
  expect(isUseful({ values: [{ value: 'a', count: 2 }, one], others: 7 })).toBe(true)
  expect(isUseful({ values: [one, { value: 'b', count: 1 }], others: 7 })).toBe(false)
  expect(isUseful({ values: [one], others: 0 })).toBe(true)
  expect(isUseful({ values: [], others: 0 })).toBe(false)
})
