import { ObjectQueryError } from '../../contract/errors.ts'
import { fuzzyDistance, isWithinEdits } from '../../query/matching/terms.ts'
import {
  type Alternatives,
  behindPrefix,
  indexedTerm,
  plainTerm,
  type TermPrefix,
} from './text-index.ts'

/** Fuzzy terms: which terms that occur may stand for those that are asked for. */

/** For each term that is asked for, those that are similar to it. */
export type SimilarTerms = ReadonlyMap<string, readonly string[]>

/** More words than this are no longer similar to anything, but most of what there is. */
const SIMILAR_TERMS = 1000

/** Two edits, each of which may add a character that is written as five. */
const LONGEST_DIFFERENCE = 12

/** Looks at the indexed terms of one field, which the database gives one after the other. */
export class SimilarTermSearch {
  /** The indexed terms to look at: from here… */
  readonly from: string
  /** …to before here… */
  readonly before: string
  /** …of at most so many characters. */
  readonly longest: number
  readonly found: ReadonlyMap<string, string[]>
  readonly #prefix: TermPrefix
  readonly #distances: readonly (readonly [term: string, distance: number])[]
  #count = 0

  constructor(terms: readonly string[], prefix: TermPrefix) {
    this.from = prefix
    this.before = behindPrefix(prefix)
    this.longest =
      Math.max(...terms.map((term) => indexedTerm(prefix, term).length)) + LONGEST_DIFFERENCE
    this.found = new Map(terms.map((term) => [term, []]))
    this.#prefix = prefix
    this.#distances = [...this.found.keys()].map((term) => [term, fuzzyDistance(term)])
  }

  look(indexed: string): void {
    const other = plainTerm(indexed, this.#prefix)
    for (const [term, distance] of this.#distances) {
      if (distance === 0 || other === term || !isWithinEdits(term, other, distance)) continue
      this.found.get(term)?.push(other)
      this.#count += 1
    }
    // Loud: leaving some out would leave out objects.
    if (this.#count > SIMILAR_TERMS) {
      throw new ObjectQueryError('QueryTermsExceededLimit', { termsLimit: SIMILAR_TERMS })
    }
  }
}

/** For each term, what may stand for it, in any of the fields: as it is written or similar. */
export function termAlternatives(
  terms: readonly string[],
  prefixes: readonly TermPrefix[],
  similarIn: (prefix: TermPrefix) => SimilarTerms | undefined,
): Alternatives[] {
  const fields = prefixes.map((prefix) => ({ prefix, similar: similarIn(prefix) }))
  return terms.map((term) =>
    fields.flatMap(({ prefix, similar }) =>
      [term, ...(similar?.get(term) ?? [])].map((one) => indexedTerm(prefix, one)),
    ),
  )
}
