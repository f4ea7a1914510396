import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Query } from '../../../query/query.ts'

/** A fuzzy text condition, and the linked type that it is about; undefined for that of the query. */
export interface FuzzyText {
  readonly text: Query & { kind: 'text' }
  readonly linkedType: ObjectType | undefined
}

/** Returns the fuzzy text conditions of a query. */
export function fuzzyTexts(query: Query, linkedType?: ObjectType): FuzzyText[] {
  switch (query.kind) {
    case 'text':
      return query.fuzzy ? [{ text: query, linkedType }] : []
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
