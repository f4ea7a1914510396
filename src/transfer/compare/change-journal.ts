/** The objects that a load changes, each as it was before and after: it counts them, and can undo them. */
import { KeyHashes } from '../infer/key-hashes.ts'
import type { ObjectBody } from './object-body.ts'

export interface JournalEntry {
  /** The primary key as canonical JSON text. */
  readonly key: string
  /** Undefined if the object is new. */
  readonly before: ObjectBody | undefined
  readonly after: ObjectBody
}

export interface ChangeCounts {
  readonly created: number
  readonly changed: number
  readonly unchanged: number
}

/** The characters that a journal holds at most; a browser needs up to twice as many bytes. */
const JOURNAL_MAX_CHARACTERS = 32 * 1024 * 1024

/** The number of keys whose repeats are recognised; it bounds the memory to 16 MB. */
const COUNTED_KEYS = 1_000_000

export class ChangeJournal {
  readonly #maxCharacters: number
  #entries = new Map<string, JournalEntry>()
  #characters = 0
  readonly counts = { created: 0, changed: 0, unchanged: 0 }
  /** True if there were too many changes to keep, so that they cannot be undone. */
  isFull = false
  /** False if objects may be counted by another row than the last one with their key. */
  isExact = true
  /** Recognises the keys of objects without an entry. */
  readonly #counted = new KeyHashes()
  #countable = COUNTED_KEYS

  constructor(maxCharacters = JOURNAL_MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters
  }

  get entries(): Iterable<JournalEntry> {
    return this.#entries.values()
  }

  /** True if a row with this key was added, as far as keys are remembered. */
  has(key: string): boolean {
    return this.#entries.has(key) || this.#counted.has(key)
  }

  /** Adds the state after a row. `before` is the state before the first row with this key. */
  add(key: string, before: ObjectBody | undefined, after: ObjectBody): void {
    const entry = this.#entries.get(key)
    const start = entry === undefined ? before : entry.before
    if (entry !== undefined) {
      this.counts[kindOf(entry)] -= 1
      this.#remove(entry)
    } else if (this.#counted.has(key)) {
      this.isExact &&= !this.isFull
      if (this.isFull) return
      this.counts.unchanged -= 1
    }
    const next = { key, before: start, after }
    const kind = kindOf(next)
    this.counts[kind] += 1
    if (kind !== 'unchanged' && !this.isFull) this.#keep(next)
    else this.#count(key)
  }

  #count(key: string): void {
    if (this.#countable > 0) {
      if (this.#counted.add(key)) this.#countable -= 1
    } else this.isExact = false
  }

  #keep(entry: JournalEntry): void {
    this.#entries.set(entry.key, entry)
    this.#characters += charactersOf(entry)
    if (this.#characters <= this.#maxCharacters) return
    this.isFull = true
    for (const key of this.#entries.keys()) this.#count(key)
    this.#entries = new Map()
  }

  #remove(entry: JournalEntry): void {
    this.#entries.delete(entry.key)
    this.#characters -= charactersOf(entry)
  }
}

function kindOf({ before, after }: JournalEntry): keyof ChangeCounts {
  if (before === undefined) return 'created'
  return before === after ? 'unchanged' : 'changed'
}

function charactersOf({ key, before = '', after }: JournalEntry): number {
  return key.length + before.length + after.length
}
