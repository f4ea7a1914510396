/** Writing CSV. */

/** What would be read as something else: separators, blanks at the ends, the line of the end. */
const MUST_QUOTE = /^#|[",\n\r]|^\s|\s$|^$/

/**
 * One record, without the end of its line. A missing value is an empty cell and an empty text is
 * `""`, so that the two stay apart. A text that starts with `#` is quoted, so that no value is ever
 * taken for the end of the export.
 */
export function csvLine(values: readonly (string | undefined)[]): string {
  return values.map(csvCell).join(',')
}

function csvCell(value: string | undefined): string {
  if (value === undefined) return ''
  return MUST_QUOTE.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
