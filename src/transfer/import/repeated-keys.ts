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
  /** The number of rows whose key an earlier row has. */
  repeated = 0

  /** With the policies `first` and `fail`, all keys are remembered, because each row depends on them. */
  constructor(policy: DuplicatePolicy, counted = COUNTED_KEYS) {
    this.#policy = policy
    this.#known = policy === 'last' ? firstKeys(counted) : allKeys()
  }

  /** Whether there were too many keys to recognise every repeated one. */
  get isIncomplete(): boolean {
    return this.#known.isIncomplete
  }

  /** Takes a row; returns the row to write, undefined to skip it, or the reason to reject it. */
  take(row: RowObject): RowObject | RejectedRow | undefined {
    if (this.#known.add(row.key)) return row
    this.repeated += 1
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
function firstKeys(max: number): KnownKeys {
  const hashes = new KeyHashes()
  let free = max
  let isIncomplete = false
  return {
    get isIncomplete() {
      return isIncomplete
    },
    add(key) {
      const isNew = free === 0 ? !hashes.has(key) : hashes.add(key)
      if (isNew && free === 0) isIncomplete = true
      else if (isNew) free -= 1
      return isNew
    },
  }
}

/** All keys of an import. */
function allKeys(): KnownKeys {
  let last = new Set<string>()
  const sets = [last]
  return {
    isIncomplete: false,
    add(key) {
      if (sets.some((set) => set.has(key))) return false
      if (last.size >= SET_MAX) {
        last = new Set()
        sets.push(last)
      }
      last.add(key)
      return true
    },
  }
}
