import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Field, Query } from '../../../query/query.ts'
import { similarLeaves } from '../../sql/interval-terms.ts'

/** Fuzzy terms of a condition, and the linked type that it is about; undefined for that of the query. */
export interface FuzzyText {
  /** Undefined searches every text. */
  readonly field: Field | undefined
  readonly terms: readonly string[]
  /** The number of edits; undefined depends on the length of each term. */
  readonly edits: number | undefined
  readonly linkedType: ObjectType | undefined
}

/** Returns the fuzzy terms of a query. */
export function fuzzyTexts(query: Query, linkedType?: ObjectType): FuzzyText[] {
  switch (query.kind) {
    case 'text': {
      const { field, terms, fuzzy } = query
      return fuzzy ? [{ field, terms, edits: undefined, linkedType }] : []
    }
    case 'interval':
      return similarLeaves(query.rule).map(({ term, edits }) => ({
        field: query.field,
        terms: [term],
        edits,
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
