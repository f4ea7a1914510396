import { expect, it } from 'vitest'
import { waitMs } from './load-part.ts'

it('waits twice as long after each attempt, and as long as the service says', () => {
  expect([0, 1, 2, 3, 4, 9].map((attempt) => waitMs(attempt))).toEqual([
    2000, 4000, 8000, 16_000, 30_000, 30_000,
  ])
  expect(waitMs(5, 1000)).toBe(1000)
})
