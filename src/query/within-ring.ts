import type { Position } from './query.ts'

/** Whether a point lies in a ring or on its edge, on the plane of longitude and latitude. */
export function isWithinRing(
  longitude: number,
  latitude: number,
  ring: readonly Position[],
): boolean {
  let inside = false
  for (let index = 1; index < ring.length; index += 1) {
    const [x1, y1] = ring[index - 1] ?? [0, 0]
    const [x2, y2] = ring[index] ?? [0, 0]
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
