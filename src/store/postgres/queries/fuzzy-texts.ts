import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Field, Query } from '../../../query/query.ts'
import { similarLeaves, similarTermsOf } from '../../sql/interval-terms.ts'
import { fuzzyTermsOf } from '../../sql/text-condition.ts'
import type { TermRules } from '../../sql/text-index.ts'

/** Fuzzy terms of a condition, and the linked type that it is about; undefined for that of the query. */
export interface FuzzyText {
  /** Undefined searches every text. */
  readonly field: Field | undefined
  /** Returns the terms by the rules of a table. */
  readonly lookups: (rules: TermRules) => readonly SimilarLookup[]
  readonly linkedType: ObjectType | undefined
}

/** Terms to find similar ones of. Without a number of edits, it depends on the length of each. */
export type SimilarLookup = readonly [terms: readonly string[], edits: number | undefined]

/** Returns the fuzzy terms of a query. */
export function fuzzyTexts(query: Query, linkedType?: ObjectType): FuzzyText[] {
  switch (query.kind) {
    case 'text': {
      const lookups = (rules: TermRules) => [[fuzzyTermsOf(query, rules), undefined] as const]
      return query.fuzzy ? [{ field: query.field, lookups, linkedType }] : []
    }
    case 'interval':
      return similarLeaves(query.rule).map((leaf) => ({
        field: query.field,
        lookups: (rules) =>
          similarTermsOf(leaf, rules)
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
