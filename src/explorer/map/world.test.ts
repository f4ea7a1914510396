import { expect, it } from 'vitest'
import type { Box } from '../view/view-state.ts'
import { type City, cityFinder } from './world.ts'

const CITIES: readonly City[] = [
  ['Tokyo', 139.69, 35.69],
  ['Yokohama', 139.65, 35.44],
  ['Suva', 178.44, -18.14],
  ['Null Island', 0, 0],
]

it.each<[string, Box, string | undefined]>([
  ['the largest of a large box', [100, -20, 180, 40], 'Tokyo'],
  ['one of two in the same degree', [139.6, 35.4, 139.67, 35.5], 'Yokohama'],
  ['one in the south', [178, -19, 179, -18], 'Suva'],
  ['one at the west and south edge', [0, 0, 0.5, 0.5], 'Null Island'],
  ['none at the east and north edge', [-1, -1, 0, 0], undefined],
])('finds %s', (_, box, name) => {
  expect(cityFinder(CITIES)(box)).toBe(name)
})
