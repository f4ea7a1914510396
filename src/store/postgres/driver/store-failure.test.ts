import { describe, expect, it } from 'vitest'
import { isLostConnection, MissingTable, toStoreFailure } from './store-failure.ts'

const failure = (code: string, message = 'words', severity = 'ERROR') =>
  Object.assign(new Error(message), { code, severity })

describe('a failure of the database', () => {
  it.each([
    ['42501', /lacks rights.*must own the database, or have CREATE/],
    ['3F000', /no schema/],
    ['3D000', /there is no such database/],
    ['08006', /cannot be reached/],
  ])('with the code %s is one that can pass', (code, reason) => {
    expect(toStoreFailure(failure(code))).toMatchObject({
      errorName: 'ServiceUnavailable',
      parameters: { reason: expect.stringMatching(reason) },
      cause: { code },
    })
  })

  it.each([
    ['54000', 'row is too big: size 9000, maximum size 8160', /more properties/],
    ['XX000', 'row is too big: size 9000, maximum size 8160', /more properties/],
    ['54000', 'tsquery is too large', /larger than the database can take/],
  ])('says what is too large: %s, %s', (code, message, reason) => {
    expect(toStoreFailure(failure(code, message))).toMatchObject({
      errorName: 'Default:RequestEntityTooLarge',
      parameters: { reason: expect.stringMatching(reason) },
    })
  })

  it('is a mistake of ours where a message was not understood, and the connection goes on', () => {
    const mistake = failure('08P01', 'bind message supplies 1 parameters, but 2 are needed')
    expect(isLostConnection(mistake)).toBe(false)
    expect(toStoreFailure(mistake)).toBe(mistake)
  })

  it('is a lost connection where a pooler ends it in that way', () => {
    const ended = failure('08P01', 'server login has been failing', 'FATAL')
    expect(isLostConnection(ended)).toBe(true)
    expect(toStoreFailure(ended)).toMatchObject({ errorName: 'ServiceUnavailable' })
  })

  it('says in plain words that a password is missing, and nothing else', () => {
    const words = 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'
    const told = toStoreFailure(new Error(words))
    const reason = 'the database asks for a password, and the URL has none'
    expect(told).toMatchObject({ errorName: 'ServiceUnavailable', parameters: { reason } })
    expect((told as Error).cause).toBeUndefined()
  })

  it('is one that can pass where a table is not made', () => {
    expect(toStoreFailure(new MissingTable(1))).toMatchObject({ errorName: 'ServiceUnavailable' })
  })
})
