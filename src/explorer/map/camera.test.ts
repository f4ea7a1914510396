import { describe, expect, it } from 'vitest'
import {
  boxBetween,
  fitBox,
  gridOf,
  intersect,
  type Point,
  pan,
  toDegrees,
  toScreen,
  visibleBox,
  WORLD,
  zoomAt,
} from './camera.ts'

const SIZE: Point = [1000, 500]
const world = fitBox(WORLD, SIZE)

describe('a camera', () => {
  it('shows the box that it fits', () => {
    expect(visibleBox(world, SIZE)).toEqual(WORLD)
    const [west, south, east, north] = visibleBox(fitBox([5, 45, 11, 48], SIZE), SIZE)
    expect([west, south, east, north]).toEqual([5, 45, 11, 48])
  })

  it('turns degrees into pixels and back', () => {
    const camera = zoomAt(world, SIZE, [700, 100], 8)
    const [longitude, latitude] = toDegrees(camera, SIZE, toScreen(camera, SIZE, [8.5, 47.4]))
    expect(longitude).toBeCloseTo(8.5)
    expect(latitude).toBeCloseTo(47.4)
  })

  it('keeps the position under the pointer when it zooms', () => {
    const before = toDegrees(world, SIZE, [600, 200])
    const after = toDegrees(zoomAt(world, SIZE, [600, 200], 4), SIZE, [600, 200])
    expect(after[0]).toBeCloseTo(before[0])
    expect(after[1]).toBeCloseTo(before[1])
  })

  it('never leaves the world', () => {
    expect(zoomAt(world, SIZE, [0, 0], 0.1)).toEqual(world)
    const moved = pan(zoomAt(world, SIZE, [500, 250], 4), SIZE, [1e6, 1e6])
    const [west, , , north] = visibleBox(moved, SIZE)
    expect([west, north]).toEqual([-180, 90])
  })
})

it('rounds a dragged box to what can be seen', () => {
  expect(boxBetween(world, SIZE, [600, 100], [500, 250])).toEqual([0, 0, 36, 54])
})

it('intersects boxes; what has nothing in common is empty', () => {
  expect(intersect([0, 0, 10, 10], [5, -5, 20, 5])).toEqual([5, 0, 10, 5])
  expect(intersect([0, 0, 1, 1], [5, 5, 6, 6])).toEqual([5, 5, 5, 5])
})

describe('gridOf', () => {
  it('covers what is visible with few enough cells, at every zoom', () => {
    for (let zoom = 1; zoom < 4000; zoom *= 1.7) {
      const camera = zoomAt(world, SIZE, [520, 130], zoom)
      const { box, columns, rows } = gridOf(camera, SIZE)
      const visible = visibleBox(camera, SIZE)
      expect(columns * rows).toBeLessThanOrEqual(10_000)
      expect(Math.max(columns, rows)).toBeLessThanOrEqual(512)
      expect(intersect(box, visible).map((edge) => edge.toFixed(6))).toEqual(
        visible.map((edge) => edge.toFixed(6)),
      )
    }
  })

  it('stays the same while the map moves a little', () => {
    const camera = zoomAt(world, SIZE, [510, 130], 30)
    const grids = [0, 1, 2, 3].map((pixel) => gridOf(pan(camera, SIZE, [pixel, 0]), SIZE))
    expect(new Set(grids.map((grid) => JSON.stringify(grid))).size).toBeLessThanOrEqual(2)
  })
})
