import { expect, it } from 'vitest'
import { unwrapped } from './shapes.ts'

it('continues a line beyond the antimeridian, in both directions', () => {
  const east = [
    [170, 1],
    [-170, 2],
    [-160, 3],
    [175, 4],
  ]
  expect(unwrapped(east).map(([longitude]) => longitude)).toEqual([170, 190, 200, 175])
  const west = east.map(([longitude = 0, latitude = 0]) => [-longitude, latitude])
  expect(unwrapped(west).map(([longitude]) => longitude)).toEqual([-170, -190, -200, -175])
})
