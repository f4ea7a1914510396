/** Fuzzy search: finds the indexed terms that are similar to the terms of a query. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import {
  fuzzyDistance,
  isWithinEdits,
  isWithinTypos,
} from '../../../query/matching/edit-distance.ts'
import { STEM_MARK } from '../../../query/matching/stem.ts'
import { endOfPrefix, indexedTerm, plainTerm, type TermPrefix } from './text-index.ts'

/** For each term of a query, the similar terms that occur. */
export type SimilarTerms = ReadonlyMap<string, readonly string[]>

/**
 * Returns the terms of a field that are similar to terms of a query. Without a number of edits, it
 * depends on the length of each term.
 */
export type FindSimilarTerms = (
  terms: readonly string[],
  prefix: TermPrefix,
  edits?: number,
) => SimilarTerms

/** A query with more similar terms is refused: it would match most of the vocabulary. */
const MAX_SIMILAR_TERMS = 1000

/** Two edits may each add a character that is escaped as five. */
const MAX_ADDED_LENGTH = 12

/** Compares the indexed terms of one field, which the database returns one by one. */
export class SimilarTermSearch {
  /** The first indexed term to compare. */
  readonly from: string
  /** The end of the range, exclusive. */
  readonly before: string
  /** Longer indexed terms cannot be similar. */
  readonly maxLength: number
  readonly similarTerms: ReadonlyMap<string, string[]>
  readonly #prefix: TermPrefix
  readonly #distances: readonly (readonly [term: string, distance: number])[]
  readonly #isSimilar: typeof isWithinEdits
  #count = 0

  /** With a number of edits, two neighbouring characters that change places count as one edit. */
  constructor(terms: readonly string[], prefix: TermPrefix, edits?: number) {
    this.from = prefix
    this.before = endOfPrefix(prefix)
    this.maxLength =
      Math.max(...terms.map((term) => indexedTerm(prefix, term).length)) + MAX_ADDED_LENGTH
    this.similarTerms = new Map(terms.map((term) => [term, []]))
    this.#prefix = prefix
    this.#distances = [...this.similarTerms.keys()].map((term) => [
      term,
      edits ?? fuzzyDistance(term),
    ])
    this.#isSimilar = edits === undefined ? isWithinEdits : isWithinTypos
  }

  compare(indexed: string): void {
    const other = plainTerm(indexed, this.#prefix)
    if (other.startsWith(STEM_MARK)) return
    for (const [term, distance] of this.#distances) {
      if (distance === 0 || other === term || !this.#isSimilar(term, other, distance)) continue
      this.similarTerms.get(term)?.push(other)
      this.#count += 1
    }
    // Truncating the list would omit objects.
    if (this.#count > MAX_SIMILAR_TERMS) {
      throw new ObjectQueryError('QueryTermsExceededLimit', { termsLimit: MAX_SIMILAR_TERMS })
    }
  }
}
