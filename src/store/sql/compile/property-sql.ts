/**
 * Where the table of a query keeps a property, and conditions that its index supports. If the index
 * holds only the beginning of long texts, the index narrows down the rows and the whole text decides.
 * If it holds timestamps as integers, values are compared in this form.
 */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import { millisecondsOf, restOfMicroseconds } from '../../../ontology/values/read-time.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import { endOfPrefix, literalPrefix } from '../../../query/matching/pattern.ts'
import type { Comparison, Pattern } from '../../../query/query.ts'
import { jsonPath } from './json-path.ts'
import { combine, OPERATORS, type SqlCondition, type SqlValue } from './sql-condition.ts'

/** A property as SQL over a table that is aliased `o`. */
export interface PropertySql {
  /** The column value. */
  readonly value: string
  /** What the index of the property holds first. */
  readonly indexed: string
  /** The form of what the index holds: the value, its first characters, or a timestamp as integer. */
  readonly form: 'value' | 'prefix' | 'time'
  /** The last characters of the value, if the index holds them before the key. */
  readonly suffix?: string
}

/** The key is the last column of every index, and a property of its own if it is a text. */
export const KEY_COLUMN = 'o.pk'

export function plainProperty(value: string): PropertySql {
  return { value, indexed: value, form: 'value' }
}

/** Returns a property whose index holds the beginning and the end of its texts, for SQLite. */
export function longTextProperty(value: string): PropertySql {
  return { value, indexed: prefixSql(value), form: 'prefix', suffix: suffixSql(value) }
}

/** Returns a timestamp that SQLite stores as an integer. */
export function timeProperty(stored: string): PropertySql {
  return { value: timestampSql(stored), indexed: stored, form: 'time' }
}

/** Returns a text that SQLite stores in the body alone. */
export function bodyProperty(property: string): PropertySql {
  return plainProperty(`(o.body ->> ${pathSql({ property })})`)
}

/** Returns the column value of a field that SQLite stores in the body alone, see query-connection.ts. */
export function bodyValue(field: FieldId, type: ScalarType): string {
  return `leaf_value(o.body -> ${pathSql(field)}, '${type}')`
}

/** No name appears in SQL, only its bytes. */
function pathSql(field: Parameters<typeof jsonPath>[0]): string {
  return `CAST(x'${Buffer.from(jsonPath(field)).toString('hex')}' AS TEXT)`
}

/** Returns the end of a text, as SQLite selects it. */
export function suffixSql(expression: string): string {
  return `substr(${expression}, -${SUFFIX_LENGTH})`
}

/** Selects the rows with a value, in a form that the index supports. */
export function hasValue({ indexed, form, suffix }: PropertySql): string {
  // SQLite does not look up in an index whether an expression is null.
  return form === 'prefix' && suffix !== undefined ? `${indexed} >= ''` : `${indexed} IS NOT NULL`
}

/** Returns the column by which the index orders rows, if the property is the first term. */
export function sortColumn({ value, indexed, form }: PropertySql): string {
  return form === 'time' ? indexed : value
}

/** Returns a value in the form that `sortColumn` has. */
export function sortValue({ form }: PropertySql, value: SqlValue): SqlValue {
  return form === 'time' && typeof value === 'string' ? microsecondsOf(value) : value
}

export function compareProperty(
  property: PropertySql,
  operator: Comparison,
  value: SqlValue,
): SqlCondition {
  const sign = OPERATORS[operator]
  const { indexed, isDecided } = indexedValue(property, value)
  const byIndex = (compared: SqlValue, by: string): SqlCondition => ({
    sql: `${property.indexed} ${by} ?`,
    values: [compared],
  })
  // The rows with one prefix are in key order only among those with one suffix.
  if (operator === 'eq') return equalProperty(property, value, isDecided)
  if (isDecided) return byIndex(indexed, sign)
  // A greater text can begin like the value.
  const byPrefix = byIndex(indexed, operator.startsWith('lt') ? '<=' : '>=')
  return combine('and', [byPrefix, { sql: `${property.value} ${sign} ?`, values: [value] }])
}

function equalProperty(property: PropertySql, value: SqlValue, isDecided: boolean): SqlCondition {
  const byIndex = indexedEquality(property, value)
  if (isDecided) return byIndex
  return combine('and', [byIndex, { sql: `${property.value} = ?`, values: [value] }])
}

/** Selects the rows that the index finds for a value: all that have it, and perhaps others. */
export function indexedEquality(property: PropertySql, value: SqlValue): SqlCondition {
  const { indexed, suffix } = property
  const first = { sql: `${indexed} = ?`, values: [indexedValue(property, value).indexed] }
  if (suffix === undefined || typeof value !== 'string') return first
  return combine('and', [first, { sql: `${suffix} = ?`, values: [suffixOf(value)] }])
}

/** Tests whether a property has one of several values, with the list syntax of the database. */
export function propertyIn(
  property: PropertySql,
  values: readonly SqlValue[],
  inList: (expression: string, values: readonly SqlValue[]) => SqlCondition,
): SqlCondition {
  const listed = values.map((value) => indexedValue(property, value))
  const byIndex = inList(property.indexed, [...new Set(listed.map(({ indexed }) => indexed))])
  if (listed.every(({ isDecided }) => isDecided)) return byIndex
  return combine('and', [byIndex, inList(property.value, values)])
}

/** Tests whether a text, which sorts by code point, begins like a pattern. */
export function beginsLike(property: PropertySql, pattern: Pattern): SqlCondition {
  const text = literalPrefix(pattern)
  if (text === '') return { sql: `${property.indexed} IS NOT NULL`, values: [] }
  const isWithinIndex = property.form !== 'prefix' || [...text].length <= PREFIX_LENGTH
  if (isWithinIndex) return rangeOf(property.indexed, text)
  return combine('and', [
    { sql: `${property.indexed} = ?`, values: [prefixOf(text)] },
    rangeOf(property.value, text),
  ])
}

function rangeOf(expression: string, text: string): SqlCondition {
  const end = endOfPrefix(text)
  const from = { sql: `${expression} >= ?`, values: [text] }
  if (end === undefined) return from
  return combine('and', [from, { sql: `${expression} < ?`, values: [end] }])
}

/** Returns what the index has of a value, and whether that alone decides a comparison with it. */
export function indexedValue(
  property: PropertySql,
  value: SqlValue,
): { readonly indexed: SqlValue; readonly isDecided: boolean } {
  if (property.form !== 'prefix' || typeof value !== 'string') {
    return { indexed: sortValue(property, value), isDecided: true }
  }
  return { indexed: prefixOf(value), isDecided: isDecidedByPrefix(value) }
}

/**
 * Returns the microseconds since 1970 of a column value such as `2026-01-31T12:00:00.000000Z`. In the
 * rows and indexes of SQLite they take 8 bytes instead of 27.
 */
export function microsecondsOf(timestamp: string): number | bigint {
  const milliseconds = millisecondsOf(timestamp)
  const fraction = restOfMicroseconds(timestamp)
  const microseconds = 1000 * milliseconds + fraction
  // Outside the years 1684 to 2255, a number is not exact.
  return Number.isSafeInteger(microseconds)
    ? microseconds
    : BigInt(milliseconds) * 1000n + BigInt(fraction)
}

/** Returns the column value of microseconds since 1970, in SQLite, whose division rounds towards zero. */
export function timestampSql(microseconds: string): string {
  const fraction = `((${microseconds} % 1000000 + 1000000) % 1000000)`
  const seconds = `(${microseconds} - ${fraction}) / 1000000`
  return `(strftime('%Y-%m-%dT%H:%M:%S', ${seconds}, 'unixepoch') || format('.%06dZ', ${fraction}))`
}

/** Returns the microseconds of a column value, in SQLite, which would round fractions of seconds. */
export function microsecondsSql(timestamp: string): string {
  return `(unixepoch(substr(${timestamp}, 1, 19)) * 1000000 + substr(${timestamp}, 21, 6))`
}

/*
 * Long texts. The index of a property with long texts holds only their beginning and their end,
 * because a full copy would take as much space as the texts and as much time to write. The beginning
 * supports ranges and orders; the end distinguishes texts that begin alike, such as URLs. A table
 * keeps a full index until it gets its first long text.
 */

/** A text with more code units is long. */
export const LONG_TEXT_LENGTH = 64

/** The number of characters that the index holds of the beginning and of the end of a text. */
export const PREFIX_LENGTH = 20
const SUFFIX_LENGTH = 8

/** Returns the beginning of a text, in SQL. */
export function prefixSql(expression: string): string {
  return `substr(${expression}, 1, ${PREFIX_LENGTH})`
}

/** Returns what `prefixSql` selects of a text. */
function prefixOf(text: string): string {
  // A character takes one or two code units.
  return [...text.slice(0, 2 * PREFIX_LENGTH)].slice(0, PREFIX_LENGTH).join('')
}

/** Returns the last characters of a text, or the text if it has no more. */
function suffixOf(text: string): string {
  return [...text.slice(-2 * SUFFIX_LENGTH)].slice(-SUFFIX_LENGTH).join('')
}

/** True for a text that compares to the prefix of any text as it compares to the text itself. */
export function isDecidedByPrefix(text: string): boolean {
  return text.length < PREFIX_LENGTH
}
