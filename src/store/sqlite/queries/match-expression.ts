import type { TextMatch } from '../../../query/query.ts'
import type { Alternatives } from '../../sql/text-index.ts'

/** Returns a text condition in the query language of FTS5. */
export function matchExpression(match: TextMatch, terms: readonly Alternatives[]): string {
  const anyOf = (some: readonly string[]) => `(${some.map((term) => `"${term}"`).join(' OR ')})`
  switch (match) {
    case 'phrase':
      return `"${terms.flat().join(' ')}"`
    case 'prefix':
      return `"${terms.flat().join(' ')}" *`
    case 'anyTerm':
      return terms.map(anyOf).join(' OR ')
    case 'allTerms':
      return terms.map(anyOf).join(' AND ')
  }
}
