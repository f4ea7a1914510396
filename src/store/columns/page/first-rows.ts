/** Keeps the first rows of a segment after a cursor, in an order. */
import { hasBit } from '../arrays/bits.ts'
import { readDoubles, type Selection } from '../segment/read-chunk.ts'
import { compareValues, type LocalTerm, type OrderValue, type RankArray } from './local-order.ts'

export interface FirstRowsOptions {
  readonly limit: number
  /** The direction of the key, which decides between rows with equal values. */
  readonly keySign: 1 | -1
  /** The values of the cursor; undefined if there is none. */
  readonly values: readonly OrderValue[] | undefined
  /** Of the rows with the values of the cursor, those from here follow it, without the second. */
  readonly tiesFrom: number
  readonly tiesTo: number
}

/** The bounds get narrower after this many rows. */
const BLOCK = 1024
const KEPT = new Int32Array(BLOCK)

/**
 * Bounds of ranks times the sign of their direction, by which most rows are dismissed without being
 * compared. NaN and no value count as infinities.
 */
interface Bounds {
  readonly sign: 1 | -1
  readonly none: number
  readonly low: number
  readonly high: number
  /** Whether the rank has to be below the upper bound. */
  readonly isBelow: boolean
}

export class FirstRows {
  readonly #terms: readonly LocalTerm[]
  readonly #options: FirstRowsOptions
  readonly #cursorRanks: readonly (number | undefined)[]
  /** A heap: no row comes before its two children at 2n + 1 and 2n + 2. */
  readonly #heap: number[] = []

  constructor(terms: readonly LocalTerm[], options: FirstRowsOptions) {
    this.#terms = terms
    this.#options = options
    this.#cursorRanks = terms.map(({ rankOfValue }, index) => {
      const value = options.values?.[index]
      return value === undefined ? undefined : rankOfValue(value)
    })
  }

  get isFull(): boolean {
    return this.#heap.length >= this.#options.limit
  }

  /** Adds rows of a chunk, whose places are counted from its first position. */
  add({ from, to, places, count }: Omit<Selection, 'gaps'>): void {
    const [term] = this.#terms
    if (term === undefined) this.#addInOrder(from, places, count)
    else if (term.ranks === undefined) {
      for (let at = 0; at < count; at += 1) this.#addExactly(from + (places[at] as number))
    } else {
      const ranks = readDoubles(term.ranks.values, from, to)
      for (let start = 0; start < count; start += BLOCK) {
        // Rows are added in the direction of the key, so that later ones come after equal ones.
        const first = this.#options.keySign === 1 ? start : Math.max(count - start - BLOCK, 0)
        const end = this.#options.keySign === 1 ? Math.min(start + BLOCK, count) : count - start
        const bounds = this.#boundsOf(term)
        const kept = keepWithin({ from, places, ranks, term: term.ranks }, [first, end], bounds)
        for (let at = 0; at < kept; at += 1) this.#addExactly(KEPT[at] as number)
      }
    }
  }

  /** In key order, the first rows are those of the page. */
  #addInOrder(from: number, places: Int32Array, count: number): void {
    for (let at = 0; at < count && !this.isFull; at += 1) {
      const position = from + (places[at] as number)
      if (this.#isAfterCursor(position)) this.#push(position)
    }
  }

  #addExactly(position: number): void {
    if (!this.#isAfterCursor(position)) return
    if (!this.isFull) this.#push(position)
    else if (this.#compare(position, this.#heap[0] as number) < 0) this.#replaceLast(position)
  }

  /** Returns what rows that can be among the first ones have in the first term. */
  #boundsOf({ sign, nullsLast, rankOf }: LocalTerm): Bounds {
    const none = nullsLast ? Infinity : -Infinity
    const approximate = (rank: number | undefined) => {
      if (rank === undefined) return none
      return Number.isNaN(rank) ? sign * Infinity : sign * rank
    }
    const low = this.#options.values === undefined ? undefined : this.#cursorRanks[0]
    const high = this.isFull ? approximate(rankOf(this.#heap[0] as number)) : Infinity
    return {
      sign,
      none,
      low: this.#options.values === undefined ? -Infinity : approximate(low),
      high,
      // Infinity stands for several ranks.
      isBelow: this.isFull && this.#terms.length === 1 && Number.isFinite(high),
    }
  }

  sorted(): readonly number[] {
    return this.#heap.toSorted((a, b) => this.#compare(a, b))
  }

  #compare(a: number, b: number): number {
    for (const term of this.#terms) {
      const difference = compareValues(term, term.rankOf(a), term.rankOf(b))
      if (difference !== 0) return difference
    }
    return this.#options.keySign * (a - b)
  }

  #isAfterCursor(position: number): boolean {
    const { values, tiesFrom, tiesTo } = this.#options
    if (values !== undefined) {
      for (const [index, term] of this.#terms.entries()) {
        const difference = compareValues(term, term.rankOf(position), this.#cursorRanks[index])
        if (difference !== 0) return difference > 0
      }
    }
    return position >= tiesFrom && position < tiesTo
  }

  #push(position: number): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(position)
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (this.#compare(heap[parent] as number, position) >= 0) break
      heap[at] = heap[parent] as number
      at = parent
    }
    heap[at] = position
  }

  #replaceLast(position: number): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      const other = child + 1
      if (other < heap.length && this.#compare(heap[other] as number, heap[child] as number) > 0) {
        child = other
      }
      if (this.#compare(heap[child] as number, position) <= 0) break
      heap[at] = heap[child] as number
      at = child
    }
    heap[at] = position
  }
}

/** Writes the positions of the rows within bounds to `KEPT`, and returns their number. */
function keepWithin(
  { from, places, ranks, term }: RankedRows,
  [first, end]: readonly [number, number],
  { sign, none, low, high, isBelow }: Bounds,
): number {
  const { present, isZeroNone } = term
  let kept = 0
  for (let at = first; at < end; at += 1) {
    const place = places[at] as number
    const rank = ranks[place] as number
    let bounded = sign * rank
    if (Number.isNaN(rank)) bounded = sign * Infinity
    if (isZeroNone ? rank === 0 : present !== undefined && !hasBit(present, from + place)) {
      bounded = none
    }
    if (bounded < low || bounded > high || (isBelow && bounded === high)) continue
    KEPT[kept] = from + place
    kept += 1
  }
  return kept
}

interface RankedRows {
  readonly from: number
  readonly places: Int32Array
  readonly ranks: Float64Array
  readonly term: RankArray
}
