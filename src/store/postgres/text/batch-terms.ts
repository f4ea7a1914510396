/**
 * Writes the full-text cells of the objects of a batch. The same terms occur in many objects, so
 * each is encoded and added to the vocabulary once.
 */
import { rememberStems } from '../../../query/matching/stem.ts'
import type { NumberedTexts } from '../../sql/text/text-index.ts'
import {
  type Lexemes,
  MAX_LEXEMES_BYTES,
  MAX_POSITION,
  MAX_POSITIONS,
  NO_TEXT,
  type TextCells,
  wordCells,
} from './lexemes.ts'
import type { Vocabulary } from './save-terms.ts'
import { grown, TermTable, type TermTaker } from './term-table.ts'

/** With more terms, all are dropped before the next object: most are unlikely to recur. */
const MAX_KNOWN_TERMS = 50_000

export class BatchTerms {
  readonly #vocabulary: Vocabulary
  readonly #table: TermTable
  readonly #placed: PlacedLexemes
  readonly #stemmed = rememberStems()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.#table = new TermTable(vocabulary)
    this.#placed = new PlacedLexemes(this.#table)
  }

  /** Returns the cells of an object. Its lexemes are valid until the next call. */
  cellsOf(texts: readonly NumberedTexts[]): TextCells {
    if (texts.length === 0) return NO_TEXT
    const [table, placed] = [this.#table, this.#placed]
    // Only between two objects, because a term of an object must be found again there.
    if (table.size > MAX_KNOWN_TERMS) table.clear()
    placed.startObject()
    for (const [field, values, language] of texts) {
      for (const value of values) {
        placed.startValue(field)
        table.addText(field, value, [language, this.#stemmed], placed)
      }
    }
    if (placed.isEmpty) return NO_TEXT
    const lexemes = placed.lexemes()
    return lexemes === undefined
      ? wordCells(texts, this.#vocabulary)
      : { words: undefined, lexemes }
  }
}

/** A field, with the last object that has it and the last position there. */
interface PlacedField {
  object: number
  position: number
}

/** What is kept of each term of the current object. */
const NUMBERS = 4
const [COUNT, FIRST, LAST] = [1, 2, 3] as const
/** The bytes of the number of lexemes, of the number of positions, and of a position. */
const [INT_BYTES, COUNT_BYTES, POSITION_BYTES] = [4, 2, 2] as const

/**
 * The lexemes of one object, each once with all of its positions. These are in one list for all
 * terms, in which each refers to the next one of its term: a list for each term would cost more than
 * anything else here.
 */
class PlacedLexemes implements TermTaker {
  readonly #table: TermTable
  readonly #fields = new Map<number, PlacedField>()
  #field: PlacedField = { object: 0, position: 0 }
  #object = 0
  /** For each term of the object: its number, how many positions it has, the first and the last. */
  #terms = new Int32Array(64 * NUMBERS)
  #size = 0
  /** Where the terms of the table are in those of the object, if they are there. */
  #places = new Int32Array(4096)
  #positions = new Int32Array(64)
  #next = new Int32Array(64)
  #count = 0
  /** The bytes that the lexemes need. */
  #length = 0
  /** True if a tsvector would lose something. */
  #isIncomplete = false
  #bytes = new Uint8Array(4096)

  constructor(table: TermTable) {
    this.#table = table
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  startObject(): void {
    this.#object += 1
    this.#size = 0
    this.#count = 0
    this.#length = INT_BYTES
    this.#isIncomplete = false
  }

  /** Leaves a position free between two values of a field, so that no phrase matches across them. */
  startValue(number: number): void {
    let field = this.#fields.get(number)
    if (field === undefined) {
      field = { object: 0, position: 0 }
      this.#fields.set(number, field)
    }
    this.#field = field
    if (field.object !== this.#object) {
      field.object = this.#object
      field.position = 0
    } else if (field.position > 0) field.position += 1
  }

  takeTerm(term: number): void {
    const place = this.#place(term)
    const terms = this.#terms
    const position = this.#field.position + 1
    this.#field.position = position
    const at = this.#count
    this.#count += 1
    if (at === this.#positions.length) {
      this.#positions = grown(this.#positions)
      this.#next = grown(this.#next)
    }
    this.#positions[at] = position
    const count = (terms[place + COUNT] ?? 0) + 1
    if (count === 1) terms[place + FIRST] = at
    else this.#next[terms[place + LAST] ?? 0] = at
    terms[place + COUNT] = count
    terms[place + LAST] = at
    this.#length += POSITION_BYTES
    if (position > MAX_POSITION || count > MAX_POSITIONS) this.#isIncomplete = true
  }

  takeWhole(term: number): void {
    this.#place(term)
  }

  /** Returns where the term is in the terms of the object, after adding it if it is not there. */
  #place(term: number): number {
    const known = this.#places[term] ?? 0
    if (known < this.#size && this.#terms[known] === term) return known
    const place = this.#size
    this.#size += NUMBERS
    if (this.#size > this.#terms.length) this.#terms = grown(this.#terms)
    while (term >= this.#places.length) this.#places = grown(this.#places)
    this.#places[term] = place
    this.#terms[place] = term
    this.#terms[place + COUNT] = 0
    const length = this.#table.lengthOf(term)
    if (length === 0) this.#isIncomplete = true
    this.#length += length + COUNT_BYTES
    return place
  }

  /** Returns the lexemes of the object; undefined if they would be too large or lose something. */
  lexemes(): Lexemes | undefined {
    if (this.#isIncomplete || this.#length > MAX_LEXEMES_BYTES) return undefined
    while (this.#length > this.#bytes.length) this.#bytes = grown(this.#bytes)
    const [terms, bytes, size] = [this.#terms, this.#bytes, this.#size]
    let to = 0
    for (let shift = 24; shift >= 0; shift -= 8) bytes[to++] = (size / NUMBERS) >> shift
    for (let place = 0; place < size; place += NUMBERS) {
      to = this.#table.copyLexeme(terms[place] ?? 0, bytes, to)
      const count = terms[place + COUNT] ?? 0
      bytes[to++] = count >> 8
      bytes[to++] = count
      for (let n = 0, at = terms[place + FIRST] ?? 0; n < count; n += 1, at = this.#next[at] ?? 0) {
        const position = this.#positions[at] ?? 0
        bytes[to++] = position >> 8
        bytes[to++] = position
      }
    }
    return bytes.subarray(0, to)
  }
}
