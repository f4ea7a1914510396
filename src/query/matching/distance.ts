/**
 * Distances on a sphere. Sines are computed with a polynomial and not with the functions of the
 * platform, because those of JavaScript and PostgreSQL differ in the last digit; the function
 * `oqs_is_near` of PostgreSQL repeats the same operations.
 */

import type { Position } from '../query.ts'
import type { Box } from './shape.ts'

/** The mean radius of the earth in metres. */
const EARTH_RADIUS = 6_371_008.8

const DEGREE = Math.PI / 180

/** The factors of the Taylor series of the sine, the last first; exact enough for a double. */
const SINE_FACTORS = [
  1.9572941063391263e-20, -8.22063524662433e-18, 2.8114572543455206e-15, -7.647163731819816e-13,
  1.6059043836821613e-10, -2.505210838544172e-8, 2.7557319223985893e-6, -1.984126984126984e-4,
  8.333333333333333e-3, -1.6666666666666666e-1, 1,
]

/** Smaller angles count as zero. Otherwise a product underflows, which is an error in PostgreSQL. */
const LEAST_ANGLE = 1e-70

/** Returns the sine of an angle from 0 to 90 degrees. */
function sine(degrees: number): number {
  const angle = degrees * DEGREE
  if (angle < LEAST_ANGLE) return 0
  const square = angle * angle
  let sum = 0
  for (const factor of SINE_FACTORS) sum = sum * square + factor
  return sum * angle
}

/** A circle, as tests with many points need it. */
export interface Circle {
  readonly longitude: number
  readonly latitude: number
  /** The cosine of the latitude. */
  readonly cosine: number
  /** The largest haversine of a distance inside. */
  readonly haversine: number
}

export function toCircle([longitude, latitude]: Position, metres: number): Circle {
  const half = metres / (2 * EARTH_RADIUS) / DEGREE
  return {
    longitude,
    latitude,
    cosine: sine(90 - Math.abs(latitude)),
    // Half the circumference reaches every point.
    haversine: half >= 90 ? 2 : sine(half) * sine(half),
  }
}

/** True if a point is inside a circle or on its edge. */
export function isNear(longitude: number, latitude: number, circle: Circle): boolean {
  const east = Math.abs(longitude - circle.longitude)
  const sineNorth = sine(Math.abs(latitude - circle.latitude) / 2)
  const sineEast = sine((east > 180 ? 360 - east : east) / 2)
  const cosines = circle.cosine * sine(90 - Math.abs(latitude))
  return sineNorth * sineNorth + cosines * (sineEast * sineEast) <= circle.haversine
}

/** Wider than any error of the boxes below, in degrees. */
const SLACK = 1e-6

/** Returns boxes that together contain a circle: two if it crosses the antimeridian. */
export function circleBoxes([longitude, latitude]: Position, metres: number): Box[] {
  const radius = metres / EARTH_RADIUS / DEGREE + SLACK
  const [south, north] = [Math.max(latitude - radius, -90), Math.min(latitude + radius, 90)]
  // A circle around a pole reaches every longitude.
  if (radius >= 90 || latitude + radius >= 90 || latitude - radius <= -90) {
    return [[-180, south, 180, north]]
  }
  const ratio = Math.sin(radius * DEGREE) / Math.cos(latitude * DEGREE)
  const width = Math.asin(Math.min(1, ratio)) / DEGREE + SLACK
  const [west, east] = [longitude - width, longitude + width]
  if (west > -180 && east < 180) return [[west, south, east, north]]
  if (width >= 180) return [[-180, south, 180, north]]
  return [
    [west <= -180 ? west + 360 : west, south, 180, north],
    [-180, south, east >= 180 ? east - 360 : east, north],
  ]
}
