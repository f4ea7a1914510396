import { expect, it } from 'vitest'
import { percentileName } from './measures.ts'

it.each([
  [1, '1st'],
  [2, '2nd'],
  [3, '3rd'],
  [5, '5th'],
  [11, '11th'],
  [90, '90th'],
  [92, '92nd'],
])('names the percentile %d', (percent, ordinal) => {
  expect(percentileName(percent)).toBe(`${ordinal} percentile`)
})
