import { expect, it } from 'vitest'
import { isUseful } from './facet-query.ts'

it('finds a facet useful unless most objects have a value of their own', () => {
  const two = { value: 'b', count: 2 }
  const one = { value: 'a', count: 1 }
  expect(isUseful({ values: [two, two, one], others: 7 })).toBe(true)
  expect(isUseful({ values: [two, one, one], others: 7 })).toBe(false)
  expect(isUseful({ values: [two, one, one], others: 0 })).toBe(true)
  expect(isUseful({ values: [one, { value: 'b', count: 1 }], others: 7 })).toBe(false)
  expect(isUseful({ values: [one], others: 0 })).toBe(true)
  expect(isUseful({ values: [], others: 0 })).toBe(false)
})
