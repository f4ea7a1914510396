import type { Position } from './query.ts'

/** Whether points lie in a ring, on the plane of longitude and latitude. */

/** The corners of a ring as numbers in a row, which is what many points are tested against. */
export function ringNumbers(ring: readonly Position[]): Float64Array {
  return Float64Array.from(ring.flat())
}

/** Whether a point lies in the ring or on its edge. */
export function isWithinRing(longitude: number, latitude: number, ring: Float64Array): boolean {
  let inside = false
  for (let at = 2; at < ring.length; at += 2) {
    const y1 = ring[at - 1] ?? 0
    const y2 = ring[at + 1] ?? 0
    // Most edges lie wholly above or below the point.
    if ((y1 > latitude && y2 > latitude) || (y1 < latitude && y2 < latitude)) continue
    const x1 = ring[at - 2] ?? 0
    const x2 = ring[at] ?? 0
    // On which side of the edge the point lies; on neither when it lies on its line.
    const side = (x2 - x1) * (latitude - y1) - (y2 - y1) * (longitude - x1)
    if (side === 0) {
      if (longitude >= Math.min(x1, x2) && longitude <= Math.max(x1, x2)) return true
      continue
    }
    // A ray to the east crosses this edge: an odd number of crossings means inside.
    if (y1 > latitude !== y2 > latitude && y2 > y1 === side > 0) inside = !inside
  }
  return inside
}
