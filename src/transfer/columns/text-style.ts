/** How a file writes numbers, dates and missing values, and how they are read as properties. */
import type { CellKind } from '../../formats/row.ts'
import { NUMBER_TYPES, type PropertyType } from '../../ontology/definition/property-type.ts'
import { refuse } from '../../ontology/values/refused-value.ts'
import { compileDateFormat, type DateFormat } from './date-format.ts'
import type { JsonCell } from './read-json-cell.ts'

export interface TextStyle {
  /** `1.234,5` or `1,234.5`; numbers are written as `1234.5` if undefined. */
  readonly numbers?: 'decimal comma' | 'grouped' | undefined
  /** Formats of dates and timestamps besides ISO 8601. */
  readonly dateFormats?: readonly string[] | undefined
  /** Texts that stand for a missing value. */
  readonly nulls?: readonly string[] | undefined
}

/**
 * Texts that many programs write for a missing value. `None` can be a value of its own in a column
 * of texts, such as that of a choice.
 */
export const NULL_TEXTS: ReadonlySet<string> = new Set([
  'NA',
  'N/A',
  'n/a',
  '#N/A',
  'NULL',
  'null',
  'None',
  String.raw`\N`,
  '-',
])

const TIME = '[ HH:mm[:ss[.S]][ A]]'

/** The date formats that are recognised without an option. */
export const KNOWN_DATE_FORMATS: readonly DateFormat[] = [
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD-MM-YYYY',
  'MM-DD-YYYY',
  'YYYY/MM/DD',
  'YYYY.MM.DD',
  'DD MMM YYYY',
  'DD-MMM-YYYY',
  'MMM DD[,] YYYY',
  'MMM-DD-YYYY',
  'YYYY MMM DD',
  'YYYY-MMM-DD',
].map((date) => compileDateFormat(date + TIME) as DateFormat)

/** Returns a known format without its optional time, as people write it. */
export function dateOnly({ format }: DateFormat): string {
  return format.replace(TIME, '')
}

const WITH_COMMA =
  /^([+-]?)(\d{1,3}(?:\.\d{3})+|\d{1,3}(?:[\u00a0\u202f ]\d{3})+|\d{1,3}(?:['’]\d{3})+|\d+)(?:,(\d+))?$/
const GROUPED = /^([+-]?)(\d{1,3}(?:,\d{3})+|\d{1,3}(?:['’]\d{3})+|\d+)(\.\d+)?$/

/** A currency sign before or after a number; a minus sign can stand on either side of it. */
const CURRENCY = /^([+-]?)\s*(\p{Sc})\s*([+-]?)(?=\d)|(?<=\d)\s*(\p{Sc})$/u

/** Returns the currency sign of a number, such as that of `12,50 €`; undefined for other texts. */
export function currencySign(text: string): string | undefined {
  const [, , before, , after] = CURRENCY.exec(text) ?? []
  return before ?? after
}

/** Returns a number without its currency sign; other texts are unchanged. */
function withoutCurrency(text: string): string {
  return text.replace(CURRENCY, '$1$3')
}

/** Reads `-1.234,50 €` as `-1234.50`; undefined for other texts. */
export function readDecimalComma(text: string): string | undefined {
  const [, sign, whole, fraction] = WITH_COMMA.exec(withoutCurrency(text)) ?? []
  if (whole === undefined) return undefined
  return `${sign}${whole.replaceAll(/\D/g, '')}${fraction === undefined ? '' : `.${fraction}`}`
}

const WITH_POINT = /^[+-]?\d*\.\d*(?:[eE][+-]?\d+)?$/

/**
 * Returns whether a text is a number with a decimal point, in a file with decimal commas. There,
 * `1.234` is more than a thousand, so `1.5` in the same column is no number at all.
 */
export function hasDecimalPoint(text: string): boolean {
  return WITH_POINT.test(withoutCurrency(text)) && readDecimalComma(text) === undefined
}

/** Reads `$1,234.50` as `1234.50`; undefined for other texts. */
export function readGrouped(text: string): string | undefined {
  const [, sign, whole, fraction = ''] = GROUPED.exec(withoutCurrency(text)) ?? []
  return whole === undefined ? undefined : `${sign}${whole.replaceAll(/\D/g, '')}${fraction}`
}

export function isNumberType(type: string): boolean {
  return (NUMBER_TYPES as readonly string[]).includes(type)
}

type Convert = (value: unknown) => unknown

/**
 * Returns a function that rewrites values of a style as the property type expects them; undefined if
 * it would change none. Numbers have a style only in text files: other formats define their form.
 */
export function valueConverter(
  type: PropertyType,
  kind: CellKind,
  { numbers, dateFormats = [] }: TextStyle,
): Convert | undefined {
  if (type.kind !== 'scalar') return undefined
  if (isNumberType(type.type) && numbers !== undefined && kind === 'text') {
    const read = numbers === 'grouped' ? readGrouped : decimalCommaText
    const checkSign = signCheck()
    return (value) => {
      if (typeof value !== 'string') return value
      const text = value.trim()
      checkSign(text)
      return read(text) ?? value
    }
  }
  const isTime = type.type === 'date' || type.type === 'timestamp'
  if (!isTime || dateFormats.length === 0) return undefined
  const formats = dateFormats.flatMap((format) => compileDateFormat(format) ?? [])
  return (value) => {
    const isText =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    const date = isText ? readDate(String(value).trim(), formats) : undefined
    if (date === undefined) return value
    return type.type === 'date' ? date.replace(MIDNIGHT, '') : withTime(date)
  }
}

/** Amounts of different currencies are no numbers of one column. */
function signCheck(): (text: string) => void {
  let first: string | undefined
  return (text) => {
    const sign = currencySign(text)
    first ??= sign
    if (sign !== undefined && sign !== first) {
      refuse(`has the currency sign ${sign}, but earlier values have ${first}`)
    }
  }
}

function decimalCommaText(text: string): string | undefined {
  if (hasDecimalPoint(text)) refuse('has a decimal point, but the column has decimal commas')
  return readDecimalComma(text)
}

const DATE_LENGTH = '2024-02-29'.length

/** A date with another time of day does not fit a date property. */
const MIDNIGHT = /T00:00:00(?:\.0+)?Z$/

function withTime(date: string): string {
  return date.length === DATE_LENGTH ? `${date}T00:00:00Z` : date
}

export function readDate(text: string, formats: readonly DateFormat[]): string | undefined {
  for (const { read } of formats) {
    const date = read(text)
    if (date !== undefined) return date
  }
  return undefined
}

/** Applies a style to a JSON cell. */
export function styledCell(cell: JsonCell, type: PropertyType, style: TextStyle): JsonCell {
  const convert = valueConverter(type, 'json', style)
  if (convert === undefined) return cell
  return {
    fits: (value) => convert(value) === value && (cell.fits?.(value) ?? true),
    write: (value) => cell.write(convert(value)),
  }
}
