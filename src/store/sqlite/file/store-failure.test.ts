import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { StoreDamage, toStoreFailure } from './store-failure.ts'

/** A failure as SQLite reports it. */
function failure(errcode: number): Error {
  return Object.assign(new Error('failed'), { errcode })
}

it('turns an out-of-memory error of the service into 503', () => {
  const cause = failure(7)
  expect(toStoreFailure(cause)).toMatchObject({
    errorName: 'ServiceUnavailable',
    parameters: { reason: 'the service is out of memory' },
    cause,
  })
})

it('treats a short read as damage, and other I/O errors as transient', () => {
  expect(toStoreFailure(failure(522))).toBeInstanceOf(StoreDamage)
  expect(toStoreFailure(failure(266))).not.toBeInstanceOf(StoreDamage)
  expect(toStoreFailure(failure(266))).toMatchObject({
    parameters: {
      reason:
        'the disk reported an I/O error; check the disk, its quota and the limit of file sizes',
    },
  })
})

it('returns errors that are not failures of the store unchanged', () => {
  using db = new DatabaseSync(':memory:')
  let syntaxError: unknown
  try {
    db.exec('nonsense')
  } catch (error) {
    syntaxError = error
  }
  expect(syntaxError).toMatchObject({ errcode: 1 })
  expect(toStoreFailure(syntaxError)).toBe(syntaxError)
  expect(toStoreFailure(undefined)).toBe(undefined)
})
