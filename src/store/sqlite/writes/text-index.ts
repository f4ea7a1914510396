/** The full-text index in FTS5. Its tokenizer `ascii` keeps our terms whole. */
import type { FieldNumbers } from '../../sql/field-numbers.ts'
import { indexedTerms as termsOfTexts } from '../../sql/text-index.ts'
import { type FieldMessage, fieldOf } from '../threads/change-message.ts'

/** Returns the terms of one object in the form in which they are indexed. */
export function indexedTerms(
  texts: readonly FieldMessage<readonly string[]>[],
  numbers: FieldNumbers,
): string {
  return termsOfTexts(texts.map((text) => [numbers.of(fieldOf(text)), text[2]]))
}
