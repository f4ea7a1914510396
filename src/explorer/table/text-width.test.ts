import { expect, it } from 'vitest'
import { fitsInto } from './columns.ts'

it.each([
  ['', 56, true],
  ['1,234,567', 100, true],
  ['1,234,567', 90, false],
  ['2026-11-16 08:00:00 UTC', 240, true],
  ['MMMM', 70, false],
  ['MMMM', 72, true],
  ['東京都', 69, false],
  ['東京都', 70, true],
  ['a'.repeat(1000), 280, false],
])('decides whether "%s" fits into %d pixels: %s', (text, width, fits) => {
  expect(fitsInto(text, width)).toBe(fits)
})
