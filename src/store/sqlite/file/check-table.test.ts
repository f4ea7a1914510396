import { expect, it } from 'vitest'
import { readErrorOf } from './check-table.ts'

it.each([
  ['Tree 7 page 12: unable to get the page. error code=266', 266],
  ['Tree 7 page 12: unable to get the page. error code=7', 7],
  ['Tree 7 page 12: unable to get the page. error code=11', 11],
  ['Freelist: failed to get page 9', 10],
  ['Tree 7 page 12 cell 3: Extends off end of page', undefined],
  ['row 5 missing from index by_text', undefined],
])('distinguishes pages that could not be read from damage: %s', (problem, code) => {
  expect(readErrorOf(problem)).toBe(code)
})
