import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  effectiveLimit,
  effectivePageSize,
  nextPageState,
  objectsStillAllowed,
  tokenExpiry,
} from './walk-tokens.ts'

describe('the page size', () => {
  it('[4.1.2] [8.1] is the hint, reduced to the maximum, which is also the default', () => {
    expect(effectivePageSize(undefined, 100)).toBe(100)
    expect(effectivePageSize(7, 100)).toBe(7)
    expect(effectivePageSize(100, 100)).toBe(100)
    expect(effectivePageSize(101, 100)).toBe(100)
  })
})

describe('the cross-page limit', () => {
  it('[7.1] serves the last allowed object and rejects the page after it', () => {
    expect(objectsStillAllowed(0, 1000, 10_000)).toBe(1000)
    expect(objectsStillAllowed(9990, 999, 10_000)).toBe(10)
    expect(objectsStillAllowed(9999, 1, 10_000)).toBe(1)
    for (const sent of [10_000, 10_001]) {
      expect(() => objectsStillAllowed(sent, 1, 10_000)).toThrow(
        expect.objectContaining({
          errorName: 'ObjectsExceededLimit',
          parameters: { limit: 10_000 },
        }),
      )
    }
  })

  it('[8.2] allows exactly the limit, whatever the page sizes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
        (limit, sizes) => {
          let sent = 0
          for (let page = 0; sent < limit; page += 1) {
            const allowed = objectsStillAllowed(sent, sizes[page % sizes.length] ?? 1, limit)
            expect(allowed).toBeGreaterThan(0)
            sent += allowed
          }
          expect(sent).toBe(limit)
        },
      ),
    )
  })

  it('[8.3] of a type overrides that of the endpoint, and none removes it', () => {
    expect(effectiveLimit(10_000, undefined)).toBe(10_000)
    expect(effectiveLimit(10_000, 5)).toBe(5)
    expect(effectiveLimit(5, 'none')).toBe('none')
    expect(effectiveLimit('none', 5)).toBe(5)
    expect(objectsStillAllowed(1e12, 1000, 'none')).toBe(1000)
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
    const lifetime = { ttlSeconds: 300, snapshotMaxAgeSeconds: 3600, changesMaxAgeSeconds: 3600 }
    const snapshot = { version: 1, takenAtSeconds: 1000 }
    expect(tokenExpiry(1000, undefined, lifetime)).toBe(1300)
    expect(tokenExpiry(2000, snapshot, lifetime)).toBe(2300)
    expect(tokenExpiry(4500, snapshot, lifetime)).toBe(4600)
  })
})
