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

/** What a spreadsheet takes for the beginning of a formula; numbers are none. */
const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$|^-Infinity$/
/** An escaped formula, and a text that would be mistaken for one. */
const ESCAPED = /^'+[=+\-@\t\r]/

/** Puts an apostrophe before a text that a spreadsheet would run as a formula. */
export function escapeFormula(text: string): string {
  const isFormula = FORMULA.test(text) && !NUMBER.test(text)
  return isFormula || ESCAPED.test(text) ? `'${text}` : text
}

/** Returns the text before `escapeFormula`. */
export function unescapeFormula(text: string): string {
  return ESCAPED.test(text) ? text.slice(1) : text
}

function csvCell(value: string | undefined): string {
  if (value === undefined) return ''
  return MUST_QUOTE.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
