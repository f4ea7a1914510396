import { expect, it } from 'vitest'
import { ApiError } from '../api/call.ts'
import { isPassing, waitMs } from './use-resume.ts'

it('waits twice as long after each attempt, and as long as the service says', () => {
  expect([0, 1, 2, 3, 4, 9].map((attempt) => waitMs(attempt, undefined))).toEqual([
    2000, 4000, 8000, 16_000, 30_000, 30_000,
  ])
  expect(waitMs(5, 1)).toBe(1000)
})

it('tries again only what can pass', () => {
  const statuses = [0, 400, 401, 404, 429, 500, 503].filter((status) =>
    isPassing(new ApiError(status, {})),
  )
  expect(statuses).toEqual([0, 429, 503])
  expect(isPassing(undefined)).toBe(false)
})
