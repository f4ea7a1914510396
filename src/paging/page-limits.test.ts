import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effectiveLimit, effectivePageSize, objectsStillAllowed } from './page-limits.ts'

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
