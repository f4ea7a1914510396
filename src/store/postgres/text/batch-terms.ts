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
  type TermPrefix,
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
  /** The last object that has the term, and what follows the lexeme there; see `PlacedLexemes`. */
  object: number
  positions: string
}

/** The terms of a field. */
interface KnownField {
  readonly prefix: TermPrefix
  readonly terms: Map<string, KnownTerm>
}

/** Further terms are not remembered: they are unlikely to recur. */
const MAX_KNOWN_TERMS = 50_000

export class BatchTerms {
  readonly #vocabulary: Vocabulary
  readonly #rules: TermRules
  readonly #fields = new Map<number, KnownField>()
  readonly #stemmed = rememberStems()
  #knownTerms = 0
  #objects = 0

  constructor(vocabulary: Vocabulary, rules: TermRules) {
    this.#vocabulary = vocabulary
    this.#rules = rules
  }

  cellsOf(texts: readonly NumberedTexts[]): TextCells {
    if (texts.length === 0) return NO_TEXT
    const rules = this.#rules
    this.#objects += 1
    const placed = new PlacedLexemes(this.#objects)
    for (const [field, values, language] of texts) {
      const known = this.#fieldOf(field)
      for (const value of values) {
        const { terms, wholes } = cutText(value, rules, language, this.#stemmed)
        placed.startValue(field)
        for (const term of terms) placed.add(known.terms.get(term) ?? this.#add(known, term))
        for (const term of wholes) placed.addWhole(known.terms.get(term) ?? this.#add(known, term))
      }
    }
    const lexemes = rules === 'analyser' ? placed.withPositions() : undefined
    placed.forgetPositions()
    if (lexemes !== undefined) {
      return { words: undefined, lexemes: lexemes === '' ? undefined : lexemes }
    }
    return wordCells(` ${indexedTerms(texts, rules)} `, placed.withoutPositions(), rules)
  }

  #fieldOf(number: number): KnownField {
    const known = this.#fields.get(number)
    if (known !== undefined) return known
    const field = { prefix: fieldPrefix(number), terms: new Map<string, KnownTerm>() }
    this.#fields.set(number, field)
    return field
  }

  #add({ prefix, terms }: KnownField, term: string): KnownTerm {
    const indexed = indexedTerm(prefix, term)
    this.#vocabulary.add(indexed)
    const one = {
      lexeme: `'${lexemeOf(indexed)}'`,
      isTruncated: indexed.length > MAX_LEXEME_LENGTH,
      object: 0,
      positions: '',
    }
    if (this.#knownTerms < MAX_KNOWN_TERMS) {
      terms.set(term, one)
      this.#knownTerms += 1
    }
    return one
  }
}

/**
 * The lexemes of one object, each once with all of its positions: the same term often occurs several
 * times, and the database reads every lexeme. A term itself notes its positions, because a map for
 * each object would cost more than anything else here.
 */
class PlacedLexemes {
  readonly #object: number
  readonly #terms: KnownTerm[] = []
  /** The last position of each field: terms are compared within a field. */
  readonly #lastPositions = new Map<number, number>()
  #field = 0
  #position = 0
  #maxPosition = 0
  #isTruncated = false

  constructor(object: number) {
    this.#object = object
  }

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
    this.addWhole(term)
    term.positions += term.positions === '' ? `:${this.#position}` : `,${this.#position}`
  }

  /** Adds a term without a position. */
  addWhole(term: KnownTerm): void {
    if (term.object === this.#object) return
    term.object = this.#object
    term.positions = ''
    this.#terms.push(term)
    this.#isTruncated ||= term.isTruncated
  }

  /** Returns the text of a tsvector; undefined if it would lose something. */
  withPositions(): string | undefined {
    if (this.#isTruncated || this.#maxPosition > MAX_POSITION) return undefined
    if (this.#maxPosition > MAX_POSITIONS && this.#hasTooManyPositions()) return undefined
    let text = ''
    for (const { lexeme, positions } of this.#terms) {
      text += text === '' ? lexeme + positions : ` ${lexeme}${positions}`
    }
    return withinLimit(text)
  }

  /** Frees the positions, which can take 20 times as much memory as the text; terms are kept. */
  forgetPositions(): void {
    for (const term of this.#terms) term.positions = ''
  }

  /** Returns the text of a tsvector; undefined if it would be too large. */
  withoutPositions(): string | undefined {
    return withinLimit([...new Set(this.#terms.map(({ lexeme }) => lexeme))].join(' '))
  }

  /** Terms that are not remembered occur several times. */
  #hasTooManyPositions(): boolean {
    const counts = new Map<string, number>()
    for (const { lexeme, positions } of this.#terms) {
      if (positions === '') continue
      const count = (counts.get(lexeme) ?? 0) + positions.split(',').length
      if (count > MAX_POSITIONS) return true
      counts.set(lexeme, count)
    }
    return false
  }
}
