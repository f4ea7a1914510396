/**
 * Writes the full-text cells of the objects of a batch. The same terms occur in many objects, so
 * each is escaped and added to the vocabulary once per batch.
 */
import { termsOf } from '../../../query/matching/terms.ts'
import { fieldPrefix, indexedTerm, type NumberedTexts } from '../../sql/text-index.ts'
import { lexemeOf, TERM_BORDER, withinLimit } from './lexemes.ts'
import type { Vocabulary } from './vocabulary.ts'
import { NO_TEXT, type TextCells, textCells } from './word-cells.ts'

/** A term of a field, as cells contain it. */
interface KnownTerm {
  readonly word: string
  readonly lexeme: string
  /** The number of the object that contained it last. */
  lastObject: number
}

/** Further terms are not remembered: they are unlikely to recur. */
const MAX_KNOWN_TERMS = 50_000

export class BatchTerms {
  readonly #vocabulary: Vocabulary
  readonly #keepsWords: boolean
  readonly #fields = new Map<number, Map<string, KnownTerm>>()
  #knownTerms = 0
  #object = 0

  constructor(vocabulary: Vocabulary, keepsWords: boolean) {
    this.#vocabulary = vocabulary
    this.#keepsWords = keepsWords
  }

  cellsOf(texts: readonly NumberedTexts[]): TextCells {
    if (texts.length === 0) return NO_TEXT
    this.#object += 1
    let words = ' '
    let lexemes = ''
    for (const [field, values] of texts) {
      const known = this.#termsOf(field)
      for (const value of values) {
        for (const term of termsOf(value)) {
          const one = known.get(term) ?? this.#add(known, field, term)
          if (this.#keepsWords) words += one.word
          if (one.lastObject === this.#object) continue
          one.lastObject = this.#object
          lexemes += one.lexeme
        }
        if (this.#keepsWords) words += `${TERM_BORDER} `
      }
    }
    return textCells(this.#keepsWords ? words : undefined, withinLimit(lexemes))
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
    const one = { word: `${indexed} `, lexeme: `'${lexemeOf(indexed)}' `, lastObject: 0 }
    // PostgreSQL ignores that an object repeats a lexeme that was not remembered.
    if (this.#knownTerms < MAX_KNOWN_TERMS) {
      known.set(term, one)
      this.#knownTerms += 1
    }
    return one
  }
}
