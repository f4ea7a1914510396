/** Arbitraries of positions on earth. */

import fc from 'fast-check'

/**
 * Exact in binary: the service decides on which side of an edge a point lies in doubles (see
 * docs/reference/conditions.md), the model in exact arithmetic.
 */
const UNEVEN = [0.25, 0.5, -0.75]

const coordinates = (most: number) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -3, max: 3 }) },
    { weight: 2, arbitrary: fc.integer({ min: -24, max: 24 }).map((eighths) => eighths / 8) },
    { weight: 2, arbitrary: fc.constantFrom(...UNEVEN) },
    { weight: 1, arbitrary: fc.constantFrom(-most, most, most - 0.5) },
  )

export const positions = fc
  .tuple(coordinates(180), coordinates(90))
  .map(([longitude, latitude]): [number, number] => [longitude + 0, latitude + 0])
