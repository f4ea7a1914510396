import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { toStoreFailure } from './store-failure.ts'

/** A failure as SQLite reports it. */
function failure(errcode: number): Error {
  return Object.assign(new Error('failed'), { errcode })
}

it('answers 503 when the service itself is out of memory', () => {
  const cause = failure(7)
  expect(toStoreFailure(cause)).toMatchObject({
    errorName: 'ServiceUnavailable',
    parameters: { reason: 'the service is out of memory' },
    cause,
  })
})

it('keeps errors that say nothing about the store', () => {
  using db = new DatabaseSync(':memory:')
  let wrong: unknown
  try {
    db.exec('nonsense')
  } catch (error) {
    wrong = error
  }
  expect(wrong).toMatchObject({ errcode: 1 })
  expect(toStoreFailure(wrong)).toBe(wrong)
  expect(toStoreFailure(undefined)).toBe(undefined)
})
