import type { DatabaseSync } from 'node:sqlite'
import { BandedRing } from '../../../query/matching/within-ring.ts'
import type { Position } from '../../../query/query.ts'

/**
 * The rings that the statements of a connection test points against. A ring that is bound as a
 * value is copied for every row; bound as a number it stays here, once, until its transaction ends.
 */
export class Rings {
  readonly #numbers = new Map<readonly Position[], number>()
  readonly #rings = new Map<number, BandedRing>()
  #last = 0

  get size(): number {
    return this.#rings.size
  }

  /** Returns the number of a ring, the same however often it is asked for in a transaction. */
  numberOf(ring: readonly Position[]): number {
    const known = this.#numbers.get(ring)
    if (known !== undefined) return known
    // Never used twice: a statement that outlives its transaction must not meet another ring.
    this.#last += 1
    this.#numbers.set(ring, this.#last)
    this.#rings.set(this.#last, new BandedRing(ring))
    return this.#last
  }

  holds(number: number, longitude: number, latitude: number): boolean {
    const ring = this.#rings.get(number)
    if (ring === undefined) throw new Error(`no ring ${number}`)
    return ring.holds(longitude, latitude)
  }

  clear(): void {
    if (this.#rings.size === 0) return
    this.#numbers.clear()
    this.#rings.clear()
  }
}

const ringsOfConnections = new WeakMap<DatabaseSync, Rings>()

export function ringsOf(db: DatabaseSync): Rings {
  let rings = ringsOfConnections.get(db)
  if (rings === undefined) {
    rings = new Rings()
    ringsOfConnections.set(db, rings)
  }
  return rings
}
