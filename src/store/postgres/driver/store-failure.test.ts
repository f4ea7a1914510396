import { describe, expect, it } from 'vitest'
import {
  isClosedConnection,
  isLostConnection,
  MissingTable,
  toStoreFailure,
} from './store-failure.ts'

const failure = (code: string, message = 'message', severity = 'ERROR') =>
  Object.assign(new Error(message), { code, severity })

describe('a failure of the database', () => {
  it.each([
    ['42501', /lacks privileges.*must own the database, or have CREATE/],
    ['3F000', /no schema/],
    ['3D000', /there is no such database/],
    ['08006', /cannot be reached/],
  ])('with the code %s is transient', (code, reason) => {
    expect(toStoreFailure(failure(code))).toMatchObject({
      errorName: 'ServiceUnavailable',
      parameters: { reason: expect.stringMatching(reason) },
      cause: { code },
    })
  })

  it.each([
    ['54000', 'row is too big: size 9000, maximum size 8160', /more properties/],
    ['XX000', 'row is too big: size 9000, maximum size 8160', /more properties/],
    ['54000', 'tsquery is too large', /exceeds a limit of the database/],
  ])('explains what is too large: %s, %s', (code, message, reason) => {
    expect(toStoreFailure(failure(code, message))).toMatchObject({
      errorName: 'Default:RequestEntityTooLarge',
      parameters: { reason: expect.stringMatching(reason) },
    })
  })

  it('with a protocol violation is a bug, and keeps the connection', () => {
    const violation = failure('08P01', 'bind message supplies 1 parameters, but 2 are needed')
    expect(isLostConnection(violation)).toBe(false)
    expect(toStoreFailure(violation)).toBe(violation)
  })

  it('with a fatal protocol violation of a pooler is a lost connection', () => {
    const ended = failure('08P01', 'server login has been failing', 'FATAL')
    expect(isLostConnection(ended)).toBe(true)
    expect(toStoreFailure(ended)).toMatchObject({ errorName: 'ServiceUnavailable' })
  })

  it('that Citus reports without a code is a lost connection if the coordinator has died', () => {
    const died = failure('XX000', 'postmaster was shut down, exiting')
    expect(isLostConnection(died)).toBe(true)
    expect(isClosedConnection(died)).toBe(true)
    expect(toStoreFailure(died)).toMatchObject({
      errorName: 'ServiceUnavailable',
      parameters: { reason: expect.stringMatching(/shutting down/) },
    })
    // The connection to the worker has ended, and not the one to the coordinator.
    expect(isLostConnection(failure('XX000', 'terminating connection due to'))).toBe(false)
  })

  it('explains that a password is missing, without a cause', () => {
    const message = 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'
    const error = toStoreFailure(new Error(message))
    const reason = 'the database requires a password, and the URL has none'
    expect(error).toMatchObject({ errorName: 'ServiceUnavailable', parameters: { reason } })
    expect((error as Error).cause).toBeUndefined()
  })

  it('is transient if a table is not created yet', () => {
    expect(toStoreFailure(new MissingTable(1))).toMatchObject({ errorName: 'ServiceUnavailable' })
  })
})
