import { describe, expect, it } from 'vitest'
import { cellRadius } from './draw-map.ts'

describe('cellRadius', () => {
  it('leaves a gap between a hundred objects each, however small the cells are', () => {
    for (const width of [4, 6, 10]) expect(2 * cellRadius(100, width)).toBeLessThan(width)
  })

  it('shows more objects as larger circles', () => {
    expect(cellRadius(100, 4)).toBeGreaterThan(cellRadius(10, 4))
  })
})
