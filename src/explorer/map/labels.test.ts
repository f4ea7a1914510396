import { expect, it } from 'vitest'
import { fitBox, type Point, WORLD, zoomAt } from './camera.ts'
import { placeLabels } from './labels.ts'

const SIZE: Point = [1000, 500]
const world = fitBox(WORLD, SIZE)
const countries = [
  { name: 'Wide', longitude: 0, latitude: 0, degrees: 40 },
  { name: 'Beside it', longitude: 2, latitude: 1, degrees: 40 },
  { name: 'Narrow', longitude: 90, latitude: 0, degrees: 3 },
]
const cities = [
  ['Large', 0, 20],
  ['Small, and too near', 0.1, 20],
  ['Elsewhere', 30, 20],
] as const
const textsAt = (camera: typeof world) =>
  placeLabels(camera, SIZE, { countries, cities }, (text) => 6 * text.length).map(
    ({ text }) => text,
  )

it('names countries that are large enough, as far as their names do not touch', () => {
  expect(textsAt(world)).toEqual(['Wide'])
  // Zoomed in, the narrow one is beyond the edge, and cities have names.
  expect(textsAt(zoomAt(world, SIZE, [500, 200], 4))).toEqual(['Wide', 'Large', 'Elsewhere'])
})
