/**
 * Long texts. The index of a property with long texts holds only their beginning and their end,
 * because a full copy would take as much space as the texts and as much time to write. The beginning
 * supports ranges and orders; the end distinguishes texts that begin alike, such as URLs. A table
 * keeps a full index until it gets its first long text.
 */

/** A text with more code units is long. */
export const LONG_TEXT_LENGTH = 64

/** The number of characters that the index holds of the beginning and of the end of a text. */
export const PREFIX_LENGTH = 20
export const SUFFIX_LENGTH = 8

/** Returns the beginning of a text, in SQL. */
export function prefixSql(expression: string): string {
  return `substr(${expression}, 1, ${PREFIX_LENGTH})`
}

/** Returns what `prefixSql` selects of a text. */
export function prefixOf(text: string): string {
  // A character takes one or two code units.
  return [...text.slice(0, 2 * PREFIX_LENGTH)].slice(0, PREFIX_LENGTH).join('')
}

/** Returns the last characters of a text, or the text if it has no more. */
export function suffixOf(text: string): string {
  return [...text.slice(-2 * SUFFIX_LENGTH)].slice(-SUFFIX_LENGTH).join('')
}

/** True for a text that compares to the prefix of any text as it compares to the text itself. */
export function isDecidedByPrefix(text: string): boolean {
  return text.length < PREFIX_LENGTH
}
