import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { BandedRing, isWithinRing, ringNumbers } from './within-ring.ts'

/** Coarse numbers, so that points hit corners and edges, and tiny ones, whose products underflow. */
const coordinate = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -6, max: 6 }) },
  { weight: 2, arbitrary: fc.double({ min: -90, max: 90, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(5e-324, -5e-324, 1e-320, -1e-200, 1e-162, 3e-150, -0) },
)
const point = fc.tuple(coordinate, coordinate)
const ring = fc
  .array(point, { minLength: 3, maxLength: 400 })
  .map((corners) => [...corners, ...corners.slice(0, 1)])

type Corner = readonly [longitude: number, latitude: number]

const corner = fc.tuple(fc.integer({ min: -6, max: 6 }), fc.integer({ min: -6, max: 6 }))

it('a ring contains the points that it winds around an odd number of times, and its edges', () => {
  const corners = fc.array(corner, { minLength: 3, maxLength: 9 })
  fc.assert(
    fc.property(corners, corner, (open, point) => {
      const closed = [...open, ...open.slice(0, 1)]
      const expected = isOnEdge(closed, point) || windings(closed, point) % 2 !== 0
      expect(isWithinRing(point[0], point[1], ringNumbers(closed))).toBe(expected)
    }),
    fcOptions(2000),
  )
})

/** How often a ring winds around a point that is not on it: the sum of its angles. */
function windings(ring: readonly Corner[], [x, y]: Corner): number {
  const angles = ring.map(([longitude, latitude]) => Math.atan2(latitude - y, longitude - x))
  const turned = angles.slice(1).reduce((sum, angle, index) => {
    const turn = angle - (angles[index] ?? 0)
    return sum + turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI))
  }, 0)
  return Math.round(turned / (2 * Math.PI))
}

/** A point is on an edge if the ways to both of its ends are together as long as the edge. */
function isOnEdge(ring: readonly Corner[], point: Corner): boolean {
  const distance = (a: Corner, b: Corner) => Math.hypot(a[0] - b[0], a[1] - b[1])
  return ring.slice(1).some((end, index) => {
    const start = ring[index] ?? end
    const detour = distance(start, point) + distance(point, end) - distance(start, end)
    // Of integers up to 12 apart, the shortest detour that is not 0 is longer than this.
    return detour < 1e-6
  })
}

it('a banded ring contains the same points as a test of all its edges', () => {
  fc.assert(
    fc.property(ring, fc.array(point, { minLength: 20, maxLength: 20 }), (corners, points) => {
      const banded = new BandedRing(corners)
      const numbers = ringNumbers(corners)
      for (const [longitude, latitude] of [...points, ...corners]) {
        const expected = isWithinRing(longitude, latitude, numbers)
        expect(banded.contains(longitude, latitude)).toBe(expected)
      }
    }),
    fcOptions(300),
  )
})
