import { describe, expect, it } from 'vitest'
import type { ObjectQueryError } from '../contract/errors.ts'
import type { PageState } from './page-token.ts'
import { SALT_BYTES, TokenKeys } from './token-keys.ts'
import { callerFingerprint, nextPageState, tokenExpiry, WalkTokens } from './walk-tokens.ts'

const keysOf = (byte: number) => new TokenKeys([Buffer.alloc(32, byte)], Buffer.alloc(SALT_BYTES))
const lifetime = { ttlSeconds: 300, snapshotMaxAgeSeconds: 3600, changesMaxAgeSeconds: 3600 }
const tokens = new WalkTokens(keysOf(1), lifetime)
const binding = { request: callerFingerprint('request'), caller: callerFingerprint('caller') }
const state: PageState = {
  after: { pk: 'k', version: 1 },
  served: 1,
  totalCount: undefined,
  snapshot: undefined,
}

function refusalOf(token: string, nowSeconds: number): Record<string, unknown> {
  try {
    tokens.resume(token, binding, nowSeconds)
  } catch (error) {
    return { ...(error as ObjectQueryError).parameters }
  }
  throw new Error('the token was not refused')
}

describe('the tokens of a walk', () => {
  it('[2.1.2] end with the last page', () => {
    expect(tokens.seal(undefined, binding, 1000)).toBeUndefined()
  })

  it('[2.1.5] are valid for their lifetime', () => {
    const token = tokens.seal(state, binding, 1000) ?? ''
    expect(tokens.resume(token, binding, 1299)).toEqual(state)
    expect(refusalOf(token, 1300)).toEqual({ pageToken: token, reason: 'expired' })
  })

  it('[4.5.2] can be renewed until the end of their snapshot', () => {
    const walk = { ...state, snapshot: { version: 1, takenAtSeconds: 1000 } }
    const token = tokens.seal(walk, binding, 1000) ?? ''
    const renewed = String(refusalOf(token, 4599)['snapshotToken'])
    expect(tokens.resume(renewed, binding, 4599)).toEqual(walk)
    expect(refusalOf(renewed, 4600)).toEqual({ pageToken: renewed, reason: 'expired' })
  })

  it('are absent on the first page', () => {
    expect(tokens.resume(undefined, binding, 1000)).toBeUndefined()
    expect(tokens.resume(null, binding, 1000)).toBeUndefined()
  })

  it('name the listed types of their walk', () => {
    const token = tokens.seal({ ...state, listedTypes: [3, 4] }, binding, 1000) ?? ''
    expect(tokens.listedTypesOf(token)).toEqual([3, 4])
    expect(tokens.listedTypesOf(tokens.seal(state, binding, 1000) ?? '')).toBeUndefined()
  })
})

describe('the etag inputs of a walk', () => {
  it('change in each half of the lifetime of a token', () => {
    expect(tokens.etagInputs(0)).toEqual(tokens.etagInputs(149))
    expect(tokens.etagInputs(149)).not.toEqual(tokens.etagInputs(150))
  })

  it('change in each half of the lifetime of a snapshot, if that is shorter', () => {
    const short = new WalkTokens(keysOf(1), { ...lifetime, snapshotMaxAgeSeconds: 60 })
    expect(short.etagInputs(0)).toEqual(short.etagInputs(29))
    expect(short.etagInputs(29)).not.toEqual(short.etagInputs(30))
  })

  it('change with the sealing key', () => {
    const other = new WalkTokens(keysOf(2), lifetime)
    expect(other.etagInputs(0)).not.toEqual(tokens.etagInputs(0))
    expect(other.etagInputs(0)[1]).toBe(tokens.etagInputs(0)[1])
  })
})

describe('the next page', () => {
  const page = { count: 3, last: { pk: 'c', version: 7 }, more: true }
  const walk = { alreadySent: 10, totalCount: 99, snapshot: undefined }

  it('[2.1.1] [2.1.2] has a state if more objects exist, and none otherwise', () => {
    expect(nextPageState(page, walk)).toEqual({
      after: { pk: 'c', version: 7 },
      served: 13,
      totalCount: 99,
      snapshot: undefined,
    })
    expect(nextPageState({ ...page, more: false }, walk)).toBeUndefined()
    expect(nextPageState({ ...page, last: undefined }, walk)).toBeUndefined()
  })

  it('carries an estimate unless the matches are counted, and its start unless it has a snapshot', () => {
    const hints = { ...walk, matchEstimate: 50, startedAtMs: 4, listedTypes: [1] }
    const snapshot = { version: 2, takenAtSeconds: 3 }
    expect(nextPageState(page, hints)).toMatchObject({
      totalCount: 99,
      matchEstimate: undefined,
      startedAtMs: 4,
      listedTypes: [1],
    })
    expect(nextPageState(page, { ...hints, totalCount: undefined, snapshot })).toMatchObject({
      totalCount: undefined,
      matchEstimate: 50,
      snapshot,
      startedAtMs: undefined,
    })
  })

  it('[2.1.5] has a token that expires after its lifetime, but no later than its snapshot', () => {
    const snapshot = { version: 1, takenAtSeconds: 1000 }
    expect(tokenExpiry(1000, undefined, lifetime)).toBe(1300)
    expect(tokenExpiry(2000, snapshot, lifetime)).toBe(2300)
    expect(tokenExpiry(4500, snapshot, lifetime)).toBe(4600)
    // Resumed while changes keep the row versions.
    const longer = { ...lifetime, changesMaxAgeSeconds: 5000 }
    expect(tokenExpiry(4500, snapshot, longer)).toBe(4600)
    expect(tokenExpiry(4600, snapshot, longer)).toBe(4900)
    expect(tokenExpiry(5900, snapshot, longer)).toBe(6000)
  })
})
