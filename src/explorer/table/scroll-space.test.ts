import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { heightOf, MAX_HEIGHT, ROW_HEIGHT, rowAt, scrollTopFor, windowAt } from './scroll-space.ts'

const space = fc.record({
  rowCount: fc.integer({ min: 1, max: 50_000_000 }),
  viewport: fc.integer({ min: 100, max: 2000 }),
})

describe('the space that rows scroll in', () => {
  it('is never higher than browsers allow', () => {
    expect(heightOf(1000)).toBe(1000 * ROW_HEIGHT)
    expect(heightOf(10_000_000)).toBe(MAX_HEIGHT)
  })

  it('shows the first row at the top and the last row at the end', () => {
    fc.assert(
      fc.property(space, (each) => {
        const end = Math.max(0, heightOf(each.rowCount) - each.viewport)
        expect(windowAt(0, each).first).toBe(0)
        expect(windowAt(end, each).end).toBe(each.rowCount)
      }),
    )
  })

  it('scrolls to any row, so that it is rendered inside the viewport', () => {
    fc.assert(
      fc.property(space, fc.double({ min: 0, max: 1, noNaN: true }), (each, share) => {
        const row = Math.floor(share * (each.rowCount - 1))
        const scrollTop = scrollTopFor(row, 0, each)
        const { first, end, shift } = windowAt(scrollTop, each)
        expect(row).toBeGreaterThanOrEqual(first)
        expect(row).toBeLessThan(end)
        const top = row * ROW_HEIGHT + shift - scrollTop
        expect(top).toBeGreaterThanOrEqual(-1)
        expect(top).toBeLessThanOrEqual(each.viewport - ROW_HEIGHT + 1)
      }),
    )
  })

  it('does not move for a row that is visible', () => {
    const each = { rowCount: 1000, viewport: 640 }
    expect(scrollTopFor(5, 64, each)).toBe(64)
    expect(scrollTopFor(1, 64, each)).toBe(32)
    expect(rowAt(64, each)).toBe(2)
  })
})
