/**
 * Writes the full-text cells of the objects of a batch. The same terms occur in many objects, so
 * each is encoded and added to the vocabulary once.
 */
import { rememberStems } from '../../../query/matching/stem.ts'
import {
  cutText,
  fieldPrefix,
  indexedTerm,
  type NumberedTexts,
  type TermPrefix,
} from '../../sql/text/text-index.ts'
import { CopyBuffer } from '../driver/copy-buffer.ts'
import {
  LEXEME_END,
  type Lexemes,
  MAX_LEXEME_LENGTH,
  MAX_POSITION,
  MAX_POSITIONS,
  NO_TEXT,
  type TextCells,
  withinLimit,
  wordCells,
} from './lexemes.ts'
import type { Vocabulary } from './save-terms.ts'

/** A term of a field. */
interface KnownTerm {
  /** The lexeme as bytes, with its end; undefined if the term is too long for one. */
  readonly lexeme: Uint8Array | undefined
  /** The last object that has the term, and the number of its positions there; see `PlacedLexemes`. */
  object: number
  count: number
  first: number
  last: number
}

/** The terms of a field. */
interface KnownField {
  readonly prefix: TermPrefix
  readonly terms: Map<string, KnownTerm>
  /** The last object that has the field, and its last position there. */
  object: number
  position: number
}

/** With more terms, all are dropped before the next object: most are unlikely to recur. */
const MAX_KNOWN_TERMS = 50_000

export class BatchTerms {
  readonly #vocabulary: Vocabulary
  readonly #fields = new Map<number, KnownField>()
  readonly #stemmed = rememberStems()
  readonly #placed = new PlacedLexemes()
  #knownTerms = 0

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** Returns the cells of an object. Its lexemes are valid until the next call. */
  cellsOf(texts: readonly NumberedTexts[]): TextCells {
    if (texts.length === 0) return NO_TEXT
    this.#evict()
    const placed = this.#placed
    placed.startObject()
    for (const [field, values, language] of texts) {
      const known = this.#fieldOf(field)
      for (const value of values) {
        const { terms, wholes } = cutText(value, language, this.#stemmed)
        placed.startValue(known)
        for (const term of terms) placed.add(known, known.terms.get(term) ?? this.#add(known, term))
        for (const term of wholes) placed.addWhole(known.terms.get(term) ?? this.#add(known, term))
      }
    }
    if (placed.isEmpty) return NO_TEXT
    const lexemes = placed.lexemes()
    return lexemes === undefined
      ? wordCells(texts, this.#vocabulary)
      : { words: undefined, lexemes }
  }

  #fieldOf(number: number): KnownField {
    const known = this.#fields.get(number)
    if (known !== undefined) return known
    const terms = new Map<string, KnownTerm>()
    const field = { prefix: fieldPrefix(number), terms, object: 0, position: 0 }
    this.#fields.set(number, field)
    return field
  }

  #add({ prefix, terms }: KnownField, term: string): KnownTerm {
    const indexed = indexedTerm(prefix, term)
    this.#vocabulary.add(indexed)
    const isTooLong = indexed.length > MAX_LEXEME_LENGTH
    const lexeme = isTooLong ? undefined : Buffer.from(`${indexed}${LEXEME_END}`)
    const known = { lexeme, object: 0, count: 0, first: 0, last: 0 }
    terms.set(term, known)
    this.#knownTerms += 1
    return known
  }

  /** Only between two objects, because a term of an object must be found again there. */
  #evict(): void {
    if (this.#knownTerms <= MAX_KNOWN_TERMS) return
    this.#fields.clear()
    this.#knownTerms = 0
  }
}

/**
 * The lexemes of one object, each once with all of its positions. These are in one list for all
 * terms, in which each refers to the next one of its term: a list for each term would cost more than
 * anything else here.
 */
class PlacedLexemes {
  readonly #terms: KnownTerm[] = []
  readonly #positions: number[] = []
  readonly #next: number[] = []
  readonly #buffer = new CopyBuffer()
  #object = 0
  #count = 0
  /** True if a tsvector would lose something. */
  #isIncomplete = false

  get isEmpty(): boolean {
    return this.#terms.length === 0
  }

  startObject(): void {
    this.#object += 1
    this.#terms.length = 0
    this.#count = 0
    this.#isIncomplete = false
  }

  /** Leaves a position free between two values of a field, so that no phrase matches across them. */
  startValue(field: KnownField): void {
    if (field.object !== this.#object) {
      field.object = this.#object
      field.position = 0
    } else if (field.position > 0) field.position += 1
  }

  add(field: KnownField, term: KnownTerm): void {
    this.addWhole(term)
    field.position += 1
    const at = this.#count
    this.#count += 1
    this.#positions[at] = field.position
    if (term.count === 0) term.first = at
    else this.#next[term.last] = at
    term.last = at
    term.count += 1
    if (field.position > MAX_POSITION || term.count > MAX_POSITIONS) this.#isIncomplete = true
  }

  /** Adds a term without a position. */
  addWhole(term: KnownTerm): void {
    if (term.object === this.#object) return
    term.object = this.#object
    term.count = 0
    this.#terms.push(term)
    if (term.lexeme === undefined) this.#isIncomplete = true
  }

  /** Returns the lexemes of the object; undefined if they would be too large or lose something. */
  lexemes(): Lexemes | undefined {
    if (this.#isIncomplete) return undefined
    const buffer = this.#buffer
    buffer.clear()
    buffer.addInt32(this.#terms.length)
    for (const { lexeme, count, first } of this.#terms) {
      if (lexeme !== undefined) buffer.addBytes(lexeme)
      buffer.addInt16(count)
      for (let n = 0, at = first; n < count; n += 1, at = this.#next[at] ?? 0) {
        buffer.addInt16(this.#positions[at] ?? 0)
      }
    }
    return withinLimit(buffer.bytes())
  }
}
