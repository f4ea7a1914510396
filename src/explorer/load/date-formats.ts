/** The date formats that the user can choose for a column. */
import { excerptOf, ownValue, type Row } from '../../formats/row.ts'
import { compileDateFormat, DATE_FORMAT_HELP } from '../../transfer/columns/date-format.ts'
import { dateOnly, KNOWN_DATE_FORMATS } from '../../transfer/columns/text-style.ts'

/** The formats to choose from; others can be written. */
export const DATE_FORMATS: readonly string[] = [
  ...KNOWN_DATE_FORMATS.map(dateOnly),
  'epoch',
  'epoch-ms',
]

export function isTimeType(type: string | undefined): boolean {
  return type === 'date' || type === 'timestamp'
}

/** Returns a format as people write it. */
export function shownFormat(format: string): string {
  const known = KNOWN_DATE_FORMATS.find((one) => one.format === format)
  return known === undefined ? format : dateOnly(known)
}

/** Returns what a written format means: a known one can have a time of day. */
export function meantFormat(written: string): string {
  return KNOWN_DATE_FORMATS.find((known) => dateOnly(known) === written)?.format ?? written
}

/** Returns what is wrong with a format, as a sentence. */
export function mistakeInFormat(written: string): string | undefined {
  return written === '' || compileDateFormat(written) !== undefined
    ? undefined
    : `“${written}” is no date format. Use ${DATE_FORMAT_HELP}.`
}

/** Returns the only known format that fits all values of a column; undefined if several do. */
export function suggestedFormat(sample: readonly Row[], column: string): string | undefined {
  const texts = sample.map(({ cells }) => excerptOf(ownValue(cells, column) ?? undefined).trim())
  const filled = texts.filter((text) => text !== '')
  const fitting = KNOWN_DATE_FORMATS.filter(({ read }) =>
    filled.every((text) => read(text) !== undefined),
  )
  const [only] = fitting
  return fitting.length === 1 && only !== undefined && filled.length > 0
    ? dateOnly(only)
    : undefined
}
