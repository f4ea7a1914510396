/** Writes CSV. */

/** Texts that would be misread without quotes: separators, outer white space, the end line. */
const MUST_QUOTE = /^#|[",\n\r]|^\s|\s$|^$/

/**
 * Returns one record without a line feed. A missing value is an empty cell, an empty text is `""`. A
 * text that starts with `#` is quoted, so that it cannot be mistaken for the end line of an export.
 */
export function csvLine(values: readonly (string | undefined)[]): string {
  return values.map(csvCell).join(',')
}

function csvCell(value: string | undefined): string {
  if (value === undefined) return ''
  return MUST_QUOTE.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
