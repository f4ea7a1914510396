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
    if (isOnEdge(longitude, latitude, x1, y1, x2, y2)) return true
    // A ray to the east crosses this edge: an odd number of crossings means inside.
    if (y1 > latitude !== y2 > latitude) {
      const crossing = x1 + ((latitude - y1) / (y2 - y1)) * (x2 - x1)
      if (longitude < crossing) inside = !inside
    }
  }
  return inside
}

function isOnEdge(x: number, y: number, x1: number, y1: number, x2: number, y2: number): boolean {
  const cross = (x - x1) * (y2 - y1) - (y - y1) * (x2 - x1)
  if (cross !== 0) return false
  return (
    x >= Math.min(x1, x2) && x <= Math.max(x1, x2) && y >= Math.min(y1, y2) && y <= Math.max(y1, y2)
  )
}
