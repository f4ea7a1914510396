/**
 * Reads cells that must be parsed before they are sent: the text of CSV files, and the values of
 * typed columns. The readers return canonical JSON text, or throw `RefusedValue`.
 */
import { valueText } from '../../formats/row.ts'
import type {
  PropertyType,
  ScalarType,
  StructType,
} from '../../ontology/definition/property-type.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import { scalarReader, type ValueReader } from '../../ontology/values/read-value.ts'
import { RefusedValue, refuse } from '../../ontology/values/refused-value.ts'
import { canonicalUtc, isoTimestamp, isPlainUtc } from './date-format.ts'
import { degrees, pointText } from './geopoint-columns.ts'
import { jsonCell } from './read-json-cell.ts'

export type TextReader = (text: string) => string

/** Returns the reader of non-empty text cells for a property type. */
export function textCellReader(type: PropertyType): TextReader {
  if (type.kind === 'scalar') return TEXT_READERS[type.type] ?? trimmed(scalarReader(type.type))
  const { write } = jsonCell(type)
  return (text) => {
    const value = parseJson(text)
    if (type.kind === 'array' && !Array.isArray(value)) refuse('is not a JSON array')
    if (type.kind === 'struct' && !isJsonObject(value)) refuse('is not a JSON object')
    return write(value)
  }
}

const TEXT_READERS: Readonly<Partial<Record<ScalarType, TextReader>>> = {
  string: scalarReader('string'),
  marking: scalarReader('marking'),
  boolean: readBoolean,
  integer: readInteger,
  double: readDouble,
  date: readDate,
  timestamp: readTimestamp,
  geopoint: readGeoPoint,
  geoshape: (text) => scalarReader('geoshape')(parseJson(text)),
  attachment: (text) => scalarReader('attachment')(parseJson(text)),
}

function trimmed(read: ValueReader): TextReader {
  return (text) => read(text.trim())
}

/** A whole number that a double may not hold; larger ones are not finite. */
const LONG_WHOLE = /^[+-]?0*([1-9]\d{15,308})$/

/** Returns whether a text is an integer with more digits than a double preserves. */
export function exceedsDouble(text: string): boolean {
  const digits = LONG_WHOLE.exec(text)?.[1]
  if (digits === undefined) return false
  const number = Number(digits)
  // Infinity is refused by the reader of the type. A double is exported with the fewest digits.
  if (!Number.isFinite(number) || String(number) === digits) return false
  return BigInt(number) !== BigInt(digits)
}

function tooManyDigits(type: string): string {
  return `has more digits than a ${type} can hold`
}

/** Numbers whose JSON is the same text, because a double has no shorter one. */
const CANONICAL_INTEGER = /^(?:0|-?[1-9]\d{0,8})$/
const CANONICAL_DOUBLE = /^(?:0|-?[1-9]\d{0,8}|-?0(?=\.))(?:\.\d{0,5}[1-9])?$/

function readInteger(text: string): string {
  return CANONICAL_INTEGER.test(text) ? text : readAnyInteger(text)
}

const readAnyInteger = trimmed(scalarReader('integer'))

function readDouble(text: string): string {
  return CANONICAL_DOUBLE.test(text) ? text : readAnyDouble(text)
}

const readAnyDouble = trimmed(scalarReader('double'))

const BOOLEANS: Readonly<Record<string, string>> = {
  true: 'true',
  yes: 'true',
  '1': 'true',
  false: 'false',
  no: 'false',
  '0': 'false',
}

function readBoolean(text: string): string {
  if (text === 'true' || text === 'false') return text
  const name = text.trim().toLowerCase()
  const value = Object.hasOwn(BOOLEANS, name) ? BOOLEANS[name] : undefined
  return value ?? refuse('is not a boolean: true or false, yes or no, 1 or 0')
}

const MIDNIGHT = /^(\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:\.0+)?)?Z?$/

function readDate(text: string): string {
  const date = text.trim()
  // Formats without a date type write dates as midnight timestamps.
  return scalarReader('date')(MIDNIGHT.exec(date)?.[1] ?? date)
}

const UTC = /^(\d{4}-\d{2}-\d{2})[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?Z?$/

function readTimestamp(text: string): string {
  if (isPlainUtc(text)) return `"${canonicalUtc(text)}"`
  const time = text.trim()
  const utc = UTC.exec(time)
  // Whole seconds in UTC need no calculation.
  if (utc !== null) {
    const date = scalarReader('date')(utc[1])
    return `${date.slice(0, -1)}T${utc[2]}${utc[3] ?? ':00'}Z"`
  }
  return scalarReader('timestamp')(isoTimestamp(time) ?? time)
}

function readGeoPoint(text: string): string {
  if (text.trimStart().startsWith('{')) return scalarReader('geopoint')(parseJson(text))
  const parts = text.split(',')
  if (parts.length !== 2) refuse('is not a geopoint: a GeoJSON point, or latitude,longitude')
  return pointText(degrees(parts[0], 'latitude', 90), degrees(parts[1], 'longitude', 180))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('is not JSON')
  }
}

/** Returns the reader of non-null values of a typed column for a property type. */
export function typedCellReader(type: PropertyType): ValueReader {
  const fromText = textCellReader(type)
  switch (type.kind) {
    case 'scalar': {
      const read = TYPED_READERS[type.type] ?? scalarReader(type.type)
      return (value) => (typeof value === 'string' ? fromText(value) : read(value))
    }
    case 'array': {
      const readItem = typedCellReader(type.items)
      return (value) =>
        Array.isArray(value)
          ? `[${value.map((item, index) => within(`[${index}]`, item, readItem)).join(',')}]`
          : fromText(valueText(value))
    }
    case 'struct': {
      const readStruct = typedStructReader(type)
      return (value) => (isJsonObject(value) ? readStruct(value) : fromText(valueText(value)))
    }
  }
}

function typedStructReader(type: StructType): (value: Readonly<Record<string, unknown>>) => string {
  const readers = new Map([...type.fields].map(([name, field]) => [name, typedCellReader(field)]))
  return (value) => {
    const fields: string[] = []
    for (const [name, field] of Object.entries(value)) {
      const read = readers.get(name)
      if (read === undefined) throw new RefusedValue('is not a field of this struct', `.${name}`)
      if (field === null || field === undefined) continue
      fields.push(`"${name}":${within(`.${name}`, field, read)}`)
    }
    return `{${fields.join(',')}}`
  }
}

function within(step: string, value: unknown, read: ValueReader): string {
  if (value === null || value === undefined) throw new RefusedValue('is null', step)
  try {
    return read(value)
  } catch (error) {
    throw error instanceof RefusedValue ? error.inside(step) : error
  }
}

/** Readers for values that JSON does not have, such as bigint. */
const TYPED_READERS: Readonly<Partial<Record<ScalarType, ValueReader>>> = {
  string: (value) => JSON.stringify(valueText(value)),
  boolean: (value) => (typeof value === 'boolean' ? String(value) : readBoolean(String(value))),
  byte: wholeFrom('byte'),
  short: wholeFrom('short'),
  integer: wholeFrom('integer'),
  long: wholeFrom('long'),
  float: floatingFrom('float'),
  double: floatingFrom('double'),
  decimal: (value) => scalarReader('decimal')(isNumeric(value) ? String(value) : value),
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function wholeFrom(type: ScalarType): ValueReader {
  const read = scalarReader(type)
  return (value) => read(typeof value === 'bigint' ? String(value) : value)
}

function floatingFrom(type: ScalarType): ValueReader {
  const read = scalarReader(type)
  return (value) => {
    if (typeof value === 'bigint' && exceedsDouble(String(value))) refuse(tooManyDigits(type))
    return read(isNumeric(value) ? String(value) : value)
  }
}
