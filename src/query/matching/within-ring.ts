/** Point-in-polygon tests on the plane of longitude and latitude. */

import type { Position } from '../query.ts'

/** Returns the corners of a ring as a flat array: longitude, latitude, longitude, … */
export function ringNumbers(ring: readonly Position[]): Float64Array {
  return Float64Array.from(ring.flat())
}

/** True if a point lies in the ring or on its edge. */
export function isWithinRing(longitude: number, latitude: number, ring: Float64Array): boolean {
  let inside = false
  for (let at = 2; at < ring.length; at += 2) {
    const met = meetEdge(longitude, latitude, ring, at)
    if (met === ON_EDGE) return true
    if (met === CROSSED) inside = !inside
  }
  return inside
}

const MISSED = 0
const CROSSED = 1
const ON_EDGE = 2

/** Returns how an eastward ray from the point meets the edge that ends at corner `at`. */
function meetEdge(longitude: number, latitude: number, ring: Float64Array, at: number): number {
  const y1 = ring[at - 1] ?? 0
  const y2 = ring[at + 1] ?? 0
  // Most edges lie wholly above or below the point.
  if ((y1 > latitude && y2 > latitude) || (y1 < latitude && y2 < latitude)) return MISSED
  const x1 = ring[at - 2] ?? 0
  const x2 = ring[at] ?? 0
  // The sign says on which side of the edge the point lies; 0 means on its line.
  const side = (x2 - x1) * (latitude - y1) - (y2 - y1) * (longitude - x1)
  if (side === 0) {
    return longitude >= Math.min(x1, x2) && longitude <= Math.max(x1, x2) ? ON_EDGE : MISSED
  }
  // Even-odd rule: an odd number of crossings means inside.
  return y1 > latitude !== y2 > latitude && y2 > y1 === side > 0 ? CROSSED : MISSED
}

const NONE = new Uint32Array(0)

/** The maximum number of bands of a ring. */
const MAX_BANDS = 256

/**
 * A ring that is prepared for tests with many points. Edges are indexed by bands of latitude, so a
 * point is compared only with the edges near it.
 */
export class BandedRing {
  readonly #ring: Float64Array
  readonly #south: number
  readonly #north: number
  readonly #bandsPerDegree: number
  /** For each band, the corners at which its edges end. */
  readonly #bands: readonly Uint32Array[]

  constructor(positions: readonly Position[]) {
    const ring = ringNumbers(positions)
    const latitudes = positions.map(([, latitude]) => latitude)
    this.#ring = ring
    this.#south = Math.min(...latitudes)
    this.#north = Math.max(...latitudes)
    const count = Math.min(positions.length, MAX_BANDS)
    // A ring without height has one band.
    const height = this.#north - this.#south
    this.#bandsPerDegree = height > 0 && count / height < Infinity ? count / height : 0
    const bands: number[][] = Array.from({ length: count + 1 }, () => [])
    for (let at = 2; at < ring.length; at += 2) {
      const [one, other] = [this.#bandOf(ring[at - 1] ?? 0), this.#bandOf(ring[at + 1] ?? 0)]
      for (let band = Math.min(one, other); band <= Math.max(one, other); band += 1) {
        bands[band]?.push(at)
      }
    }
    this.#bands = bands.map((ends) => Uint32Array.from(ends))
  }

  /** True if a point lies in the ring or on its edge. */
  contains(longitude: number, latitude: number): boolean {
    // Negated, so that NaN is outside.
    if (!(latitude >= this.#south && latitude <= this.#north)) return false
    let inside = false
    const ends = this.#bands[this.#bandOf(latitude)] ?? NONE
    for (let index = 0; index < ends.length; index += 1) {
      const met = meetEdge(longitude, latitude, this.#ring, ends[index] ?? 0)
      if (met === ON_EDGE) return true
      if (met === CROSSED) inside = !inside
    }
    return inside
  }

  /** Monotonic in the latitude, so an edge is in every band that it spans. */
  #bandOf(latitude: number): number {
    return Math.floor((latitude - this.#south) * this.#bandsPerDegree)
  }
}
