/** Gives distinct pairs of small whole numbers consecutive ids. */
import { NumberTable } from './number-table.ts'

/** Up to this many possible pairs, ids are looked up without hashing. */
const DENSE_PAIRS = 2 ** 20
/** More than any second number. */
const RADIX = 2 ** 27

export class PairTable {
  /** Ids by `first * #radix + second`, plus 1; undefined once there are too many possible pairs. */
  #dense: Int32Array | undefined = new Int32Array(1024)
  #radix = 256
  readonly #hashed = new NumberTable()

  get size(): number {
    return this.#hashed.size
  }

  /** Returns the id of a pair, which is new if it equals the size before. */
  idOf(first: number, second: number): number {
    const dense = this.#dense
    const at = first * this.#radix + second
    if (dense !== undefined && second < this.#radix && at < dense.length) {
      const id = dense[at] as number
      if (id !== 0) return id - 1
      const added = this.#hashed.add(first * RADIX + second)
      dense[at] = added + 1
      return added
    }
    return this.#idOutside(first, second)
  }

  /** Replaces second numbers by the ids of the pairs. */
  idsOf(firsts: Int32Array, seconds: Int32Array, count: number): void {
    let known = this.#knownIds(firsts, seconds, count, 0)
    while (known < count) {
      seconds[known] = this.idOf(firsts[known] as number, seconds[known] as number)
      known = this.#knownIds(firsts, seconds, count, known + 1)
    }
  }

  /** Does so up to a pair that is not known, and returns its place. */
  #knownIds(firsts: Int32Array, seconds: Int32Array, count: number, from: number): number {
    const dense = this.#dense
    const radix = this.#radix
    if (dense === undefined) return from
    for (let at = from; at < count; at += 1) {
      const second = seconds[at] as number
      const place = (firsts[at] as number) * radix + second
      if (second >= radix || place >= dense.length) return at
      const id = dense[place] as number
      if (id === 0) return at
      seconds[at] = id - 1
    }
    return count
  }

  firstOf(id: number): number {
    return Math.floor(this.#hashed.valueOf(id) / RADIX)
  }

  secondOf(id: number): number {
    return this.#hashed.valueOf(id) % RADIX
  }

  /** Makes the dense table larger, or does without it. */
  #idOutside(first: number, second: number): number {
    if (this.#dense === undefined) return this.#hashed.idOf(first * RADIX + second)
    const radix = Math.max(this.#radix, 2 ** Math.ceil(Math.log2(second + 1)))
    const rows = 2 ** Math.ceil(Math.log2(Math.max(first + 1, this.#dense.length / this.#radix)))
    if (rows * radix > DENSE_PAIRS) {
      this.#dense = undefined
      this.#hashed.index()
      return this.idOf(first, second)
    }
    const larger = new Int32Array(rows * radix)
    for (let id = 0; id < this.size; id += 1) {
      larger[this.firstOf(id) * radix + this.secondOf(id)] = id + 1
    }
    this.#dense = larger
    this.#radix = radix
    return this.idOf(first, second)
  }
}
