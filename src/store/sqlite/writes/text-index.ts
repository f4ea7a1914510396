/** Full-text search with FTS5. Its tokenizer `ascii` keeps our terms whole. */
import type { TextMatch } from '../../../query/query.ts'
import type { FieldNumbers } from '../../sql/field-numbers.ts'
import { type Alternatives, indexedTerms as termsOfTexts } from '../../sql/text-index.ts'
import { type FieldMessage, fieldOf } from '../threads/change-message.ts'

/** Returns the terms of one object in the form in which they are indexed. */
export function indexedTerms(
  texts: readonly FieldMessage<readonly string[]>[],
  numbers: FieldNumbers,
): string {
  return termsOfTexts(texts.map((text) => [numbers.of(fieldOf(text)), text[2]]))
}

/** Returns a condition in the query language of FTS5. */
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
