/**
 * The codec of each scalar type. A value is parsed once; its JSON text for the body and its column
 * value for queries are both derived from the parsed value. Encoding and decoding of column values
 * stand side by side.
 */

import type { ScalarType } from '../definition/property-type.ts'
import { isJsonObject } from '../json-object.ts'
import { type ColumnValue, decimalText, decodeDecimal, sortableDecimal } from './column-value.ts'
import { type GeoPoint, readGeoPoint, readGeoShape } from './read-geometry.ts'
import { floatingReader, readDecimal, readLong, wholeNumberReader } from './read-number.ts'
import { canonicalTimestamp, readDate, readTimestamp, sortableTimestamp } from './read-time.ts'
import { RefusedValue, refuse } from './refused-value.ts'

/** A value that was checked against its type. Only the codec that parsed it knows its form. */
export type ParsedScalar = string | number | bigint | boolean | GeoPoint

export interface ScalarCodec<Parsed = ParsedScalar> {
  /** Checks a value from a client; throws `RefusedValue`. */
  readonly parse: (value: unknown) => Parsed
  /** Returns the JSON text that the body of an object stores. */
  readonly toJson: (parsed: Parsed) => string
  /** Undefined for types that cannot be compared. */
  readonly column: ColumnCodec<Parsed> | undefined
}

interface ColumnCodec<Parsed> {
  readonly encode: (parsed: Parsed) => ColumnValue
  /** Returns the JSON text of the value. Equal decimals all decode to the shortest spelling. */
  readonly decode: (column: ColumnValue) => string
}

const quoted = (text: string | bigint) => `"${text}"`
const same = <Value>(value: Value) => value

const text: ScalarCodec<string> = {
  parse: readString,
  toJson: (string) => JSON.stringify(string),
  column: { encode: same, decode: (column) => JSON.stringify(String(column)) },
}

const wholeNumber = (type: ScalarType, bits: number): ScalarCodec<number> => ({
  parse: wholeNumberReader(type, bits),
  toJson: String,
  column: { encode: same, decode: String },
})

const floating = (type: 'float' | 'double'): ScalarCodec<number> => ({
  parse: floatingReader(type),
  toJson: floatingJson,
  // NaN is a text in columns, because it must equal itself and sort after every number.
  column: {
    encode: (number) => (Number.isNaN(number) ? 'NaN' : number),
    decode: (column) => floatingJson(Number(column)),
  },
})

function floatingJson(number: number): string {
  return Number.isFinite(number) ? String(number) : `"${number}"`
}

const CODECS = {
  string: text,
  marking: text,
  boolean: {
    parse: readBoolean,
    toJson: String,
    column: {
      encode: (boolean) => (boolean ? 1 : 0),
      decode: (column) => (Number(column) === 1 ? 'true' : 'false'),
    },
  } satisfies ScalarCodec<boolean>,
  byte: wholeNumber('byte', 8),
  short: wholeNumber('short', 16),
  integer: wholeNumber('integer', 32),
  long: {
    parse: readLong,
    toJson: quoted,
    column: { encode: same, decode: (column) => quoted(String(column)) },
  } satisfies ScalarCodec<bigint>,
  float: floating('float'),
  double: floating('double'),
  decimal: {
    parse: readDecimal,
    toJson: quoted,
    column: {
      encode: sortableDecimal,
      decode: (column) => quoted(decimalText(decodeDecimal(String(column)))),
    },
  } satisfies ScalarCodec<string>,
  date: {
    parse: readDate,
    toJson: quoted,
    column: { encode: same, decode: (column) => quoted(String(column)) },
  } satisfies ScalarCodec<string>,
  timestamp: {
    parse: readTimestamp,
    toJson: quoted,
    column: {
      encode: sortableTimestamp,
      decode: (column) => quoted(canonicalTimestamp(String(column))),
    },
  } satisfies ScalarCodec<string>,
  geopoint: {
    parse: readGeoPoint,
    toJson: ({ json }) => json,
    column: undefined,
  } satisfies ScalarCodec<GeoPoint>,
  geoshape: { parse: readGeoShape, toJson: same, column: undefined } satisfies ScalarCodec<string>,
  attachment: {
    parse: readAttachment,
    toJson: (rid) => `{"rid":${JSON.stringify(rid)}}`,
    column: undefined,
  } satisfies ScalarCodec<string>,
} as const satisfies Record<ScalarType, unknown>

/** Returns the codec of a type, with the form of its parsed values erased. */
export function scalarCodec(type: ScalarType): ScalarCodec {
  return CODECS[type] as unknown as ScalarCodec
}

/** True if values of the type can be compared; the others can only be present or absent. */
export function isComparable(type: ScalarType): boolean {
  return CODECS[type].column !== undefined
}

/** Decodes the column value of a comparable type into JSON text. */
export function columnJson(type: ScalarType, value: ColumnValue): string {
  const { column } = CODECS[type]
  if (column === undefined) throw new Error(`${type} has no column values`)
  return column.decode(value)
}

function readString(value: unknown): string {
  if (typeof value !== 'string') refuse('is not a string')
  // PostgreSQL cannot store either of these.
  if (value.includes('\0')) refuse('contains the character U+0000')
  if (!value.isWellFormed()) refuse('contains an unpaired surrogate')
  return value
}

function readBoolean(value: unknown): boolean {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  return refuse('is not a boolean')
}

function readAttachment(value: unknown): string {
  if (!isJsonObject(value) || Object.keys(value).join() !== 'rid') {
    refuse('is not an attachment: {"rid": …}')
  }
  try {
    return readString(value['rid'])
  } catch (error) {
    throw error instanceof RefusedValue ? error.inside('.rid') : error
  }
}
