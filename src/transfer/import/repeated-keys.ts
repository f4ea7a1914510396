/** Rows of one import that have the same primary key: they are counted, and all but one are not written. */

import type { RejectedRow, RowObject } from '../columns/row-to-object.ts'
import { KeyHashes } from '../infer/key-hashes.ts'

/** Which of several rows with the same key is written, or that the import fails. */
export type DuplicatePolicy = 'last' | 'first' | 'fail'

/** The number of keys that are remembered only to count; it bounds the memory to 16 MB. */
const COUNTED_KEYS = 1_000_000

/** A JavaScript set cannot have more entries. */
const SET_MAX = 2 ** 24 - 1

export class RepeatedKeys {
  readonly #policy: DuplicatePolicy
  readonly #known: KnownKeys
  #repeated = 0

  /** With the policies `first` and `fail`, all keys are remembered, because each row depends on them. */
  constructor(policy: DuplicatePolicy, counted = COUNTED_KEYS) {
    this.#policy = policy
    this.#known = policy === 'last' ? new FirstKeys(counted) : new AllKeys()
  }

  /** The number of rows whose key an earlier row has. */
  get repeated(): number {
    return this.#repeated
  }

  /** Whether there were too many keys to recognise every repeated one. */
  get isIncomplete(): boolean {
    return this.#known.isIncomplete
  }

  /** Takes a row; returns the row to write, undefined to skip it, or the reason to reject it. */
  take(row: RowObject): RowObject | RejectedRow | undefined {
    if (this.#known.add(row.key)) return row
    this.#repeated += 1
    if (this.#policy === 'last') return row
    if (this.#policy === 'first') return undefined
    return {
      reason: 'the primary key is that of an earlier row',
      excerpt: row.key,
      remedy: { do: 'chooseDuplicate' },
    }
  }
}

interface KnownKeys {
  readonly isIncomplete: boolean
  /** Returns false if the key is known. */
  add(key: string): boolean
}

/** The first keys of an import. */
class FirstKeys implements KnownKeys {
  readonly #hashes = new KeyHashes()
  #free: number
  isIncomplete = false

  constructor(max: number) {
    this.#free = max
  }

  add(key: string): boolean {
    if (this.#free === 0) {
      const isNew = !this.#hashes.has(key)
      this.isIncomplete ||= isNew
      return isNew
    }
    const isNew = this.#hashes.add(key)
    if (isNew) this.#free -= 1
    return isNew
  }
}

/** All keys of an import. */
class AllKeys implements KnownKeys {
  readonly isIncomplete = false
  readonly #sets: Set<string>[] = [new Set()]

  add(key: string): boolean {
    if (this.#sets.some((set) => set.has(key))) return false
    let set = this.#sets.at(-1) as Set<string>
    if (set.size >= SET_MAX) {
      set = new Set()
      this.#sets.push(set)
    }
    set.add(key)
    return true
  }
}
