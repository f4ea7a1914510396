/** Keeps the first rows of a segment after a cursor, in an order. */
import { compareValues, type LocalTerm, type OrderValue } from './local-order.ts'

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

  /** Adds positions, in ascending order. */
  add(positions: Int32Array, count: number): void {
    const [term] = this.#terms
    for (let at = 0; at < count; at += 1) {
      const position = positions[at] as number
      if (term === undefined && this.isFull) return
      if (!this.#isAfterCursor(position)) continue
      if (this.isFull) {
        const last = this.#heap[0] as number
        if (this.#compare(position, last) >= 0) continue
        this.#replaceLast(position)
      } else this.#push(position)
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
