import type { Query } from '../../../query/query.ts'

/** Returns the fuzzy text conditions of a query. */
export function fuzzyTexts(query: Query): (Query & { kind: 'text' })[] {
  switch (query.kind) {
    case 'text':
      return query.fuzzy ? [query] : []
    case 'not':
      return fuzzyTexts(query.of)
    case 'and':
    case 'or':
      return query.of.flatMap(fuzzyTexts)
    default:
      return []
  }
}
