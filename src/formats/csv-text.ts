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

/** The last line of an export: nothing was cut if it is there. */
export function csvEndLine(count: number, version: number): string {
  return `# end of export: ${count} objects, version ${version}`
}

const END_LINE = /^# end of export: (\d+) objects, version \d+\r?$/

/** How many objects the end of an export counts; undefined for any other line. */
export function readCsvEndLine(text: string): number | undefined {
  if (!text.startsWith('#')) return undefined
  const count = END_LINE.exec(text)?.[1]
  return count === undefined ? undefined : Number(count)
}
