import { expect, it } from 'vitest'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { Database } from './database.ts'

const CLOSED = Object.assign(new Error('terminating connection'), { code: '57P01' })
/** The error of the driver if no reply arrives in time. */
const SILENT = new Error('Query read timeout')

it.each([
  { failure: CLOSED, attempts: 2 },
  { failure: SILENT, attempts: 1 },
])('tries work that fails with "$failure.message" $attempts times', async (expected) => {
  await using place = await createTestStore()
  await using database = new Database(place.name)
  let attempts = 0
  const fail = async () => {
    attempts += 1
    throw expected.failure
  }
  const unavailable = { errorName: 'ServiceUnavailable', cause: expected.failure }
  await expect(database.read(fail)).rejects.toMatchObject(unavailable)
  expect(attempts).toBe(expected.attempts)
  await expect(database.write(fail)).rejects.toMatchObject(unavailable)
  expect(attempts).toBe(2 * expected.attempts)
})
