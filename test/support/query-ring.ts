/** Point-in-polygon tests in exact integer arithmetic. */

export interface RingCorner {
  readonly longitude: number
  readonly latitude: number
}

/** Scales doubles of the size of coordinates to integers without loss. */
const SCALE = 2 ** 70

function exact(coordinate: number): bigint {
  return BigInt(coordinate * SCALE)
}

/** True if a point lies in a closed ring, by the even-odd rule, or on one of its edges. */
export function isInOrOnRing(
  [longitude, latitude]: readonly number[],
  ring: readonly RingCorner[],
): boolean {
  const [x, y] = [exact(longitude ?? 0), exact(latitude ?? 0)]
  let isInside = false
  for (const [index, from] of ring.slice(0, -1).entries()) {
    const to = ring[index + 1] ?? from
    const [x1, y1, x2, y2] = [
      exact(from.longitude),
      exact(from.latitude),
      exact(to.longitude),
      exact(to.latitude),
    ]
    // The sign says on which side of the edge the point lies; zero means on its line.
    const side = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
    if (side === 0n && isBetween(x, x1, x2) && isBetween(y, y1, y2)) return true
    if (y1 > y !== y2 > y && (y2 > y1 ? side > 0n : side < 0n)) isInside = !isInside
  }
  return isInside
}

function isBetween(value: bigint, a: bigint, b: bigint): boolean {
  return (value >= a && value <= b) || (value >= b && value <= a)
}
