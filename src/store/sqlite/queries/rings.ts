/**
 * The polygon rings that the statements of one connection test points against. A ring that is bound
 * as a value would be copied for every row; bound as a number, it stays here until its transaction
 * ends.
 */
import type { DatabaseSync } from 'node:sqlite'
import { BandedRing } from '../../../query/matching/within-ring.ts'
import type { Position } from '../../../query/query.ts'

export class Rings {
  readonly #numbers = new Map<readonly Position[], number>()
  readonly #rings = new Map<number, BandedRing>()
  #last = 0

  get size(): number {
    return this.#rings.size
  }

  /** Returns the number of a ring, which is the same throughout a transaction. */
  numberOf(ring: readonly Position[]): number {
    const known = this.#numbers.get(ring)
    if (known !== undefined) return known
    // Numbers are never reused: a statement that outlives its transaction must not test another ring.
    this.#last += 1
    this.#numbers.set(ring, this.#last)
    this.#rings.set(this.#last, new BandedRing(ring))
    return this.#last
  }

  contains(number: number, longitude: number, latitude: number): boolean {
    const ring = this.#rings.get(number)
    if (ring === undefined) throw new Error(`no ring ${number}`)
    return ring.contains(longitude, latitude)
  }

  clear(): void {
    if (this.#rings.size === 0) return
    this.#numbers.clear()
    this.#rings.clear()
  }
}

/** Adds the SQL function `within_ring(longitude, latitude, ring number)` to a connection. */
export function addRingFunction(db: DatabaseSync, rings: Rings): void {
  db.function(
    'within_ring',
    { deterministic: true, directOnly: true },
    (longitude, latitude, ring) =>
      rings.contains(ring as number, longitude as number, latitude as number) ? 1 : 0,
  )
}
