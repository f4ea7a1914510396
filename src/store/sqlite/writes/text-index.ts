import type { TextMatch } from '../../../query/query.ts'
import type { FieldNumbers } from '../../sql/field-numbers.ts'
import { type Alternatives, indexedTerms as termsOfTexts } from '../../sql/text-index.ts'
import { type CrossingField, fieldOf } from '../threads/crossing-change.ts'

/** Full text in FTS5, whose tokeniser `ascii` keeps the terms whole. */

/** The terms of one object, as they are indexed. */
export function indexedTerms(
  texts: readonly CrossingField<readonly string[]>[],
  numbers: FieldNumbers,
): string {
  return termsOfTexts(texts.map((text) => [numbers.of(fieldOf(text)), text[2]]))
}

/** A condition in the query language of FTS5. */
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
