import type { ScalarType } from '../definition/property-type.ts'
import { sortableTimestamp } from './read-time.ts'

/**
 * The value of a property in the form that queries compare and orders sort by. Whatever compares
 * equal has the same column value, and column values sort as the property does: numbers as
 * numbers, text by code point, dates and timestamps by time, decimals exactly.
 *
 * NaN is the text `NaN`: it equals itself and sorts behind every number.
 */
export type ColumnValue = string | number | bigint

/** The types whose values can be compared; the others can only be there or not. */
const COMPARABLE: Readonly<Partial<Record<ScalarType, (json: string) => ColumnValue>>> = {
  string: textOf,
  marking: textOf,
  boolean: (json) => (json === 'true' ? 1 : 0),
  byte: Number,
  short: Number,
  integer: Number,
  long: (json) => BigInt(textOf(json)),
  float: floatingOf,
  double: floatingOf,
  decimal: (json) => sortableDecimal(textOf(json)),
  date: textOf,
  timestamp: (json) => sortableTimestamp(textOf(json)),
}

export function isComparable(type: ScalarType): boolean {
  return COMPARABLE[type] !== undefined
}

/** The column value of a value in its canonical JSON text, see `read-value.ts`. */
export function columnValue(type: ScalarType, json: string): ColumnValue | undefined {
  return COMPARABLE[type]?.(json)
}

/** The same, of values that were parsed already; nothing for types that cannot be compared. */
const COMPARABLE_VALUES: Readonly<Partial<Record<ScalarType, (value: unknown) => ColumnValue>>> = {
  string: asIs,
  marking: asIs,
  boolean: (value) => (value === true ? 1 : 0),
  byte: asIs,
  short: asIs,
  integer: asIs,
  long: (value) => BigInt(value as string),
  float: floatingValue,
  double: floatingValue,
  decimal: (value) => sortableDecimal(value as string),
  date: asIs,
  timestamp: (value) => sortableTimestamp(value as string),
}

/** What gives the column value of parsed values of a type: `columnValue` for very many of them. */
export function valueComparer(type: ScalarType): ((value: unknown) => ColumnValue) | undefined {
  return COMPARABLE_VALUES[type]
}

function asIs(value: unknown): ColumnValue {
  return value as ColumnValue
}

function floatingValue(value: unknown): ColumnValue {
  return value === 'Infinity' || value === '-Infinity' ? Number(value) : (value as ColumnValue)
}

function textOf(json: string): string {
  return JSON.parse(json) as string
}

function floatingOf(json: string): ColumnValue {
  if (!json.startsWith('"')) return Number(json)
  const text = textOf(json)
  return text === 'NaN' ? text : Number(text)
}

/** Digits that tell how many digits stand before the point: enough for every decimal we take. */
const LENGTH_DIGITS = 3

/**
 * A decimal as text that sorts as the number does: sign, number of whole digits, digits, fraction
 * without trailing zeros. A negative number has every digit turned and ends with `~`, so that
 * larger digits, and more of them, come first.
 */
export function sortableDecimal(text: string): string {
  const negative = text.startsWith('-')
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const digits = whole.replace(/^0+/, '')
  const trimmed = fraction.replace(/0+$/, '')
  const magnitude = String(digits.length).padStart(LENGTH_DIGITS, '0') + digits + trimmed
  if (!negative || /^0*$/.test(magnitude)) return `1${magnitude}`
  return `0${magnitude.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))}~`
}
