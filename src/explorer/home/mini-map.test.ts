import { expect, it } from 'vitest'
import atlas from 'world-atlas/countries-110m.json' with { type: 'json' }
import { readAtlas } from '../map/world.ts'
import { landPath } from './land-path.ts'
import { MAP_HEIGHT, MAP_WIDTH, tiersOf, toMap } from './mini-map.ts'

it('puts the corners of the map into its corners', () => {
  expect(toMap([-180, 84])).toEqual([0, 0])
  expect(toMap([180, -60])).toEqual([MAP_WIDTH, MAP_HEIGHT])
})

const rings = () =>
  landPath(readAtlas(atlas).land)
    .split('M')
    .slice(1)
    .map((ring) => polygonOf(ring.replace('Z', '')))

const polygonOf = (ring: string) =>
  ring.split('L').map((point) => point.split(',').map(Number) as [number, number])

/** True if a line to the left crosses the outline an odd number of times. */
const contains = (ring: readonly (readonly [number, number])[], [x, y]: readonly number[]) =>
  ring.filter(([fromX, fromY], index) => {
    const [toX, toY] = ring[(index + 1) % ring.length] ?? [0, 0]
    const share = (Number(y) - fromY) / (toY - fromY)
    return fromY > Number(y) !== toY > Number(y) && fromX + share * (toX - fromX) < Number(x)
  }).length %
    2 ===
  1

it.each([
  ['Berlin', [13, 52], true],
  ['Mecca', [40, 21], true],
  ['Tehran', [51, 35.7], true],
  ['Kashgar', [76, 39.5], true],
  ['Ulaanbaatar', [107, 48], true],
  ['Chukotka', [178, 68], true],
  ['Alice Springs', [134, -24], true],
  ['the Atlantic', [-35, 30], false],
] as const)('draws land where it is: %s', (_, position, isLand) => {
  const covering = rings().filter((ring) => contains(ring, toMap(position)))
  expect(covering.length % 2 === 1).toBe(isLand)
})

it('closes outlines along the edge of the map, and never across it', () => {
  const closings = rings().map((ring) => {
    const [[x, y] = [0, 0], [lastX, lastY] = [0, 0]] = [ring[0], ring.at(-1)]
    const isAtEdge = x === lastX && (x === 0 || x === MAP_WIDTH)
    return isAtEdge ? 0 : Math.hypot(x - lastX, y - lastY)
  })
  expect(closings.length).toBeGreaterThan(100)
  expect(Math.max(...closings)).toBeLessThan(5)
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
