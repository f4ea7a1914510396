/** Rows of one import that have the same primary key: they are counted, and all but one are not written. */
import type { RejectedRow, RowObject } from './row-to-object.ts'

/** Which of several rows with the same key is written, or that the import fails. */
export type DuplicatePolicy = 'last' | 'first' | 'fail'

/** The number of keys that are remembered only to count; it bounds the memory to about 100 MB. */
export const COUNTED_KEYS = 1_000_000

/** A JavaScript set cannot have more entries. */
const SET_MAX = 2 ** 24 - 1

export class RepeatedKeys {
  readonly #policy: DuplicatePolicy
  readonly #counted: number
  #sets: Set<string>[] = [new Set()]
  #keys = 0
  #repeated = 0

  /** With the policies `first` and `fail`, all keys are remembered, because each row depends on them. */
  constructor(policy: DuplicatePolicy, counted = COUNTED_KEYS) {
    this.#policy = policy
    this.#counted = policy === 'last' ? counted : Number.POSITIVE_INFINITY
  }

  /** The number of rows whose key an earlier row has. */
  get repeated(): number {
    return this.#repeated
  }

  /** Whether there were too many keys to recognise every repeated one. */
  get isIncomplete(): boolean {
    return this.#keys > this.#counted
  }

  /** Takes a row; returns the row to write, undefined to skip it, or the reason to reject it. */
  take(row: RowObject): RowObject | RejectedRow | undefined {
    if (!this.#has(row.key)) return row
    this.#repeated += 1
    if (this.#policy === 'last') return row
    if (this.#policy === 'first') return undefined
    return {
      reason: 'the primary key is that of an earlier row',
      excerpt: row.key,
      advice: 'Pass --on-duplicate first or last to write one of the rows.',
    }
  }

  #has(key: string): boolean {
    if (this.#sets.some((set) => set.has(key))) return true
    this.#keys += 1
    if (this.#keys <= this.#counted) this.#remember(key)
    return false
  }

  #remember(key: string): void {
    let set = this.#sets.at(-1) as Set<string>
    if (set.size >= SET_MAX) {
      set = new Set()
      this.#sets.push(set)
    }
    set.add(key)
  }
}
