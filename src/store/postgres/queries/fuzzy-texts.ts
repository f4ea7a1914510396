import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Field, Query } from '../../../query/query.ts'
import { similarLeaves, similarTermsOf } from '../../sql/text/interval-terms.ts'
import { fuzzyTermsOf } from '../../sql/text/text-condition.ts'

/** Fuzzy terms of a condition, and the linked type that it is about; undefined for that of the query. */
interface FuzzyText {
  /** Undefined searches every text. */
  readonly field: Field | undefined
  readonly lookups: readonly SimilarLookup[]
  readonly linkedType: ObjectType | undefined
}

/** Terms to find similar ones of. Without a number of edits, it depends on the length of each. */
type SimilarLookup = readonly [terms: readonly string[], edits: number | undefined]

/** Returns the fuzzy terms of a query. */
export function fuzzyTexts(query: Query, linkedType?: ObjectType): FuzzyText[] {
  switch (query.kind) {
    case 'text': {
      const { field, fuzzy } = query
      return fuzzy ? [{ field, lookups: [[fuzzyTermsOf(query), undefined]], linkedType }] : []
    }
    case 'interval':
      return similarLeaves(query.rule).map((leaf) => ({
        field: query.field,
        lookups: similarTermsOf(leaf)
          .filter(([, edits]) => edits > 0)
          .map(([term, edits]) => [[term], edits]),
        linkedType,
      }))
    case 'not':
      return fuzzyTexts(query.of, linkedType)
    case 'and':
    case 'or':
      return query.of.flatMap((one) => fuzzyTexts(one, linkedType))
    case 'linked':
      return fuzzyTexts(query.of, query.linkedType)
    default:
      return []
  }
}
