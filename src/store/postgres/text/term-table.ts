/**
 * The terms of a batch with their lexemes: a hash table over characters, because a string for each
 * term of each object would cost several times as much as everything else that becomes of a text.
 */
import {
  cutText,
  fieldPrefix,
  indexedTerm,
  type NumberedTexts,
  type TermPrefix,
} from '../../sql/text/text-index.ts'
import { LEXEME_END, MAX_LEXEME_LENGTH } from './lexemes.ts'
import type { Vocabulary } from './save-terms.ts'

/** For each ASCII character: the lower case of a letter, a digit, or 0 for what separates terms. */
const TERM_CODES = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code).toLowerCase()
  return /[a-z0-9]/.test(sign) ? sign.charCodeAt(0) : 0
})
/** The signs that may join two parts to a further term: `e-mail`, `O'Brien`, `U.S.`, `AT&T`. */
const JOINS: ReadonlySet<number> = new Set(Array.from("'&-.", (sign) => sign.charCodeAt(0)))
/** The signs that may belong to a term: `C++`, `C#`. */
const SYMBOLS: ReadonlySet<number> = new Set(Array.from('+#', (sign) => sign.charCodeAt(0)))
/** A term and its prefix make a lexeme. */
const MAX_PLAIN_LENGTH = MAX_LEXEME_LENGTH - 20

const FIRST_SLOTS = 4096
const FIRST_BYTES = 64 * 1024
/** Of FNV-1a. */
const [HASH_START, HASH_PRIME] = [0x811c_9dc5, 0x0100_0193]

interface Field {
  readonly number: number
  readonly prefix: TermPrefix
  readonly prefixBytes: Uint8Array
}

/** Takes the terms of a text by their numbers: those that have a position, then the others. */
export interface TermTaker {
  takeTerm(term: number): void
  takeWhole(term: number): void
}

export class TermTable {
  readonly #vocabulary: Vocabulary
  readonly #fields = new Map<number, Field>()
  /** The number of the term in each slot, plus one; 0 in an empty slot. */
  #slots = new Int32Array(FIRST_SLOTS)
  #hashes = new Int32Array(FIRST_SLOTS)
  #fieldOf = new Int32Array(FIRST_SLOTS)
  /** The terms that are not plain, by their indexed form. */
  readonly #others = new Map<string, number>()
  /** The lexemes of all terms; that of a term ends where the next one starts. */
  #bytes = new Uint8Array(FIRST_BYTES)
  #starts = new Int32Array(FIRST_SLOTS)
  #size = 0
  /** The plain terms of the text that is being read: where each starts and ends, and its hash. */
  #parts = new Int32Array(96)

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  get size(): number {
    return this.#size
  }

  /** The bytes of a lexeme with its end; none if the term is too long for a lexeme. */
  lengthOf(term: number): number {
    return (this.#starts[term + 1] ?? 0) - (this.#starts[term] ?? 0)
  }

  /** Copies the lexeme of a term, and returns where it ends. */
  copyLexeme(term: number, into: Uint8Array, offset: number): number {
    const bytes = this.#bytes
    const end = this.#starts[term + 1] ?? 0
    let to = offset
    // A lexeme is so short that a call would cost more than the bytes.
    for (let at = this.#starts[term] ?? 0; at < end; at += 1, to += 1) into[to] = bytes[at] ?? 0
    return to
  }

  clear(): void {
    this.#slots.fill(0)
    this.#others.clear()
    this.#size = 0
  }

  /** Adds the terms of a text. */
  addText(
    field: number,
    text: string,
    [language, stemmed]: readonly [NumberedTexts[2], Parameters<typeof cutText>[2]],
    taker: TermTaker,
  ): void {
    const known = this.#fieldWith(field)
    const parts = language === undefined ? this.#cutPlain(text) : undefined
    if (parts !== undefined) {
      for (let at = 0; at < parts; at += 3) taker.takeTerm(this.#plainTerm(known, text, at))
      return
    }
    const { terms, wholes } = cutText(text, language, stemmed)
    for (const term of terms) taker.takeTerm(this.#term(known, term))
    for (const term of wholes) taker.takeWhole(this.#term(known, term))
  }

  #fieldWith(number: number): Field {
    const known = this.#fields.get(number)
    if (known !== undefined) return known
    const prefix = fieldPrefix(number)
    const field = { number, prefix, prefixBytes: Buffer.from(prefix) }
    this.#fields.set(number, field)
    return field
  }

  /**
   * Finds the terms of a text in ASCII, as `analyseText` cuts them. Returns the length of the list of
   * parts; undefined for any text that might have other terms.
   */
  #cutPlain(text: string): number | undefined {
    let length = 0
    let start = -1
    let hash = HASH_START
    for (let at = 0; at <= text.length; at += 1) {
      const sign = at < text.length ? text.charCodeAt(at) : 0
      if (sign > 127) return undefined
      const code = TERM_CODES[sign] ?? 0
      if (code !== 0) {
        if (start < 0) start = at
        hash = Math.imul(hash ^ code, HASH_PRIME)
        continue
      }
      if (start < 0) continue
      const isWhole = SYMBOLS.has(sign) || (JOINS.has(sign) && isTermSign(text, at + 1))
      if (isWhole || at - start > MAX_PLAIN_LENGTH) return undefined
      if (length + 3 > this.#parts.length) this.#parts = grown(this.#parts)
      this.#parts[length] = start
      this.#parts[length + 1] = at
      this.#parts[length + 2] = hash
      length += 3
      start = -1
      hash = HASH_START
    }
    return length
  }

  /** Returns the number of a term, which consists of letters and digits of ASCII. */
  #plainTerm(field: Field, text: string, part: number): number {
    const start = this.#parts[part] ?? 0
    const end = this.#parts[part + 1] ?? 0
    const hash = Math.imul((this.#parts[part + 2] ?? 0) ^ field.number, HASH_PRIME)
    const mask = this.#slots.length - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    for (; ; slot = (slot + 1) & mask) {
      const term = (this.#slots[slot] ?? 0) - 1
      if (term < 0) break
      if (this.#hashes[term] === hash && this.#isTerm(term, field, text, start, end)) return term
    }
    const plain = text.slice(start, end).toLowerCase()
    const term = this.#add(`${field.prefix}${plain}`)
    this.#hashes[term] = hash
    this.#fieldOf[term] = field.number
    this.#slots[slot] = term + 1
    if (2 * this.#size > this.#slots.length) this.#addSlots()
    return term
  }

  #isTerm(
    term: number,
    { number, prefixBytes }: Field,
    text: string,
    start: number,
    end: number,
  ): boolean {
    if (this.#fieldOf[term] !== number) return false
    const bytes = this.#bytes
    const first = (this.#starts[term] ?? 0) + prefixBytes.length
    if ((this.#starts[term + 1] ?? 0) - 1 - first !== end - start) return false
    for (let at = start; at < end; at += 1) {
      if (bytes[first + at - start] !== TERM_CODES[text.charCodeAt(at)]) return false
    }
    return true
  }

  /** Returns the number of any term. */
  #term(field: Field, term: string): number {
    if (this.#cutPlain(term) === 3 && this.#parts[1] === term.length && this.#parts[0] === 0) {
      return this.#plainTerm(field, term, 0)
    }
    const indexed = indexedTerm(field.prefix, term)
    const known = this.#others.get(indexed)
    if (known !== undefined) return known
    const added = this.#add(indexed)
    // No plain term is compared with it.
    this.#fieldOf[added] = -1
    this.#others.set(indexed, added)
    return added
  }

  #add(indexed: string): number {
    this.#vocabulary.add(indexed)
    const term = this.#size
    this.#size += 1
    if (this.#size + 1 > this.#starts.length) {
      this.#starts = grown(this.#starts)
      this.#hashes = grown(this.#hashes)
      this.#fieldOf = grown(this.#fieldOf)
    }
    const start = this.#starts[term] ?? 0
    this.#starts[term + 1] = start
    if (indexed.length <= MAX_LEXEME_LENGTH) {
      // UTF-8 takes at most three bytes for each UTF-16 code unit.
      const needed = start + 3 * (indexed.length + 1)
      while (needed > this.#bytes.length) this.#bytes = grown(this.#bytes)
      const { written } = ENCODER.encodeInto(indexed + LEXEME_END, this.#bytes.subarray(start))
      this.#starts[term + 1] = start + written
    }
    return term
  }

  #addSlots(): void {
    const slots = new Int32Array(2 * this.#slots.length)
    const mask = slots.length - 1
    for (let term = 0; term < this.#size; term += 1) {
      if (this.#fieldOf[term] === -1) continue
      const hash = this.#hashes[term] ?? 0
      let slot = (hash ^ (hash >>> 15)) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = term + 1
    }
    this.#slots = slots
  }
}

const ENCODER = new TextEncoder()

function isTermSign(text: string, at: number): boolean {
  return at < text.length && (TERM_CODES[text.charCodeAt(at)] ?? 1) !== 0
}

/** Returns a copy with room for twice as many numbers. */
export function grown<Numbers extends Int32Array | Uint8Array>(numbers: Numbers): Numbers {
  const larger = new (numbers.constructor as new (length: number) => Numbers)(2 * numbers.length)
  larger.set(numbers)
  return larger
}
