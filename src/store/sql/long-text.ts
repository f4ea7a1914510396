/**
 * Long texts. The index of a property with long texts holds only their beginning, because a full
 * copy would take as much space as the texts and as much time to write. A table keeps a full index
 * until it gets its first long text, so short texts never need a second comparison.
 */

/** A text with more code units is long. */
export const LONG_TEXT_LENGTH = 64

/** The number of characters that the index of a property with long texts holds. */
export const PREFIX_LENGTH = 32

/** Returns the expression that the index of a property with long texts holds. */
export function prefixSql(expression: string): string {
  return `substr(${expression}, 1, ${PREFIX_LENGTH})`
}

/** Returns what `prefixSql` selects of a text. */
export function prefixOf(text: string): string {
  // A character takes one or two code units.
  return [...text.slice(0, 2 * PREFIX_LENGTH)].slice(0, PREFIX_LENGTH).join('')
}

/** True for a text that compares to the prefix of any text as it compares to the text itself. */
export function isDecidedByPrefix(text: string): boolean {
  return text.length < PREFIX_LENGTH
}
