import { expect, it } from 'vitest'
import { ApiError } from '../api/call.ts'
import { isPassing } from './use-resume.ts'

it('tries again only what can pass', () => {
  const statuses = [0, 400, 401, 404, 429, 500, 503].filter((status) =>
    isPassing(new ApiError(status, {})),
  )
  expect(statuses).toEqual([0, 429, 503])
  expect(isPassing(undefined)).toBe(false)
})
