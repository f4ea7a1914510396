import { expect, it } from 'vitest'
import { MAP_HEIGHT, MAP_WIDTH, pathOf, ringsOf, tiersOf, toMap } from './mini-map.ts'

it('puts the corners of the map into its corners', () => {
  expect(toMap([-180, 84])).toEqual([0, 0])
  expect(toMap([180, -60])).toEqual([MAP_WIDTH, MAP_HEIGHT])
})

it('draws the rings of nested shapes, and no line across the map', () => {
  const ring = [
    [-180, 84],
    [0, 84],
    [180, 84],
    [-180, -60],
  ]
  const shape = {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', geometry: { type: 'MultiPolygon', coordinates: [[ring]] } }],
  }
  expect(pathOf(ringsOf(shape))).toBe('M0 0L120 0L240 0M0 110')
})

it('draws fuller cells stronger', () => {
  const cell = (count: number) => ({ longitude: -180, latitude: 84, count })
  expect(tiersOf([cell(1), cell(1000)])).toEqual([
    { opacity: 0.3, path: 'M0 0h.01' },
    { opacity: 0.55, path: '' },
    { opacity: 0.8, path: '' },
    { opacity: 1, path: 'M0 0h.01' },
  ])
  expect(tiersOf([cell(1)]).at(-1)?.path).toBe('M0 0h.01')
})
