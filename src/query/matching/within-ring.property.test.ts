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
