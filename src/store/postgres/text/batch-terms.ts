/**
 * Writes the full-text cells of the objects of a batch. The same terms occur in many objects, so
 * each is escaped and added to the vocabulary once per batch.
 */
import { rememberStems } from '../../../query/matching/stem.ts'
import {
  cutText,
  fieldPrefix,
  indexedTerm,
  indexedTerms,
  type NumberedTexts,
  type TermRules,
} from '../../sql/text-index.ts'
import { lexemeOf, MAX_LEXEME_LENGTH, MAX_POSITION, MAX_POSITIONS, withinLimit } from './lexemes.ts'
import type { Vocabulary } from './vocabulary.ts'
import { NO_TEXT, type TextCells, wordCells } from './word-cells.ts'

/** A term of a field, as cells contain it. */
interface KnownTerm {
  /** In quotes. */
  readonly lexeme: string
  readonly isTruncated: boolean
}

/** Further terms are not remembered: they are unlikely to recur. */
const MAX_KNOWN_TERMS = 50_000

export class BatchTerms {
  readonly #vocabulary: Vocabulary
  readonly #rules: TermRules
  readonly #fields = new Map<number, Map<string, KnownTerm>>()
  readonly #stemmed = rememberStems()
  #knownTerms = 0

  constructor(vocabulary: Vocabulary, rules: TermRules) {
    this.#vocabulary = vocabulary
    this.#rules = rules
  }

  cellsOf(texts: readonly NumberedTexts[]): TextCells {
    if (texts.length === 0) return NO_TEXT
    const rules = this.#rules
    const placed = new PlacedLexemes()
    for (const [field, values, language] of texts) {
      const known = this.#termsOf(field)
      for (const value of values) {
        const { terms, wholes } = cutText(value, rules, language, this.#stemmed)
        placed.startValue(field)
        for (const term of terms) placed.add(known.get(term) ?? this.#add(known, field, term))
        for (const term of wholes) placed.addWhole(known.get(term) ?? this.#add(known, field, term))
      }
    }
    const lexemes = rules === 'analyser' ? placed.withPositions() : undefined
    if (lexemes !== undefined) {
      return { words: undefined, lexemes: lexemes === '' ? undefined : lexemes }
    }
    return wordCells(` ${indexedTerms(texts, rules)} `, placed.withoutPositions(), rules)
  }

  #termsOf(field: number): Map<string, KnownTerm> {
    const known = this.#fields.get(field)
    if (known !== undefined) return known
    const terms = new Map<string, KnownTerm>()
    this.#fields.set(field, terms)
    return terms
  }

  #add(known: Map<string, KnownTerm>, field: number, term: string): KnownTerm {
    const indexed = indexedTerm(fieldPrefix(field), term)
    this.#vocabulary.add([indexed])
    const one = {
      lexeme: `'${lexemeOf(indexed)}'`,
      isTruncated: indexed.length > MAX_LEXEME_LENGTH,
    }
    if (this.#knownTerms < MAX_KNOWN_TERMS) {
      known.set(term, one)
      this.#knownTerms += 1
    }
    return one
  }
}

/**
 * The lexemes of one object, each once with all of its positions: the same term often occurs several
 * times, and the database reads every lexeme.
 */
class PlacedLexemes {
  /** What follows each lexeme: its positions, such as `:1,4`, or nothing. */
  readonly #positions = new Map<KnownTerm, string>()
  /** The last position of each field: terms are compared within a field. */
  readonly #lastPositions = new Map<number, number>()
  #field = 0
  #position = 0
  #maxPosition = 0
  #isTruncated = false

  /** Leaves a position free between two values of a field, so that no phrase matches across them. */
  startValue(field: number): void {
    this.#lastPositions.set(this.#field, this.#position)
    const last = this.#lastPositions.get(field) ?? 0
    this.#field = field
    this.#position = last === 0 ? 0 : last + 1
  }

  add(term: KnownTerm): void {
    this.#position += 1
    this.#maxPosition = Math.max(this.#maxPosition, this.#position)
    const others = this.#positions.get(term)
    this.#positions.set(term, others ? `${others},${this.#position}` : `:${this.#position}`)
    this.#isTruncated ||= term.isTruncated
  }

  addWhole(term: KnownTerm): void {
    if (!this.#positions.has(term)) this.#positions.set(term, '')
    this.#isTruncated ||= term.isTruncated
  }

  /** Returns the text of a tsvector; undefined if it would lose something. */
  withPositions(): string | undefined {
    if (this.#isTruncated || this.#maxPosition > MAX_POSITION) return undefined
    if (this.#maxPosition > MAX_POSITIONS && this.#hasTooManyPositions()) return undefined
    let text = ''
    for (const [{ lexeme }, positions] of this.#positions) {
      text += text === '' ? lexeme + positions : ` ${lexeme}${positions}`
    }
    return withinLimit(text)
  }

  /** Returns the text of a tsvector; undefined if it would be too large. */
  withoutPositions(): string | undefined {
    return withinLimit([...new Set(Array.from(this.#positions.keys(), lexemeIn))].join(' '))
  }

  /** Terms that are not remembered occur several times. */
  #hasTooManyPositions(): boolean {
    const counts = new Map<string, number>()
    for (const [{ lexeme }, positions] of this.#positions) {
      if (positions === '') continue
      const count = (counts.get(lexeme) ?? 0) + positions.split(',').length
      if (count > MAX_POSITIONS) return true
      counts.set(lexeme, count)
    }
    return false
  }
}

const lexemeIn = ({ lexeme }: KnownTerm) => lexeme
