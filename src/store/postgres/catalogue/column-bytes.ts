/** Writes column values in the binary format of COPY, see copy-buffer.ts. */
import {
  type ColumnValue,
  decimalText,
  decodeDecimal,
} from '../../../ontology/values/column-value.ts'
import { CopyBuffer } from '../driver/copy-buffer.ts'
import type { ColumnType } from './column-codec.ts'

interface BinaryType {
  /** The OID of the type. Built-in types have the same OID in every database. */
  readonly oid: number
  /** Adds a value with its length. */
  readonly add: (buffer: CopyBuffer, value: ColumnValue) => void
}

const BINARY_TYPES: Readonly<Record<ColumnType, BinaryType>> = {
  text: { oid: 25, add: (buffer, value) => buffer.addText(String(value)) },
  smallint: {
    oid: 21,
    add(buffer, value) {
      buffer.addInt32(2)
      buffer.addInt16(toInt(value, 16))
    },
  },
  integer: {
    oid: 23,
    add(buffer, value) {
      buffer.addInt32(4)
      buffer.addInt32(toInt(value, 32))
    },
  },
  bigint: {
    oid: 20,
    add(buffer, value) {
      buffer.addInt32(8)
      buffer.addInt64(toInt64(value))
    },
  },
  'double precision': { oid: 701, add: (buffer, value) => addDouble(buffer, Number(value)) },
  numeric: {
    oid: 1700,
    add: (buffer, value) => addNumeric(buffer, decimalText(decodeDecimal(String(value)))),
  },
}

/** Adds a value of a type with its length. */
type AddColumn = BinaryType['add']

export function columnAdder(type: ColumnType): AddColumn {
  return BINARY_TYPES[type].add
}

/** Adds an array of one dimension with its length. */
export function addArray(
  buffer: CopyBuffer,
  elementType: ColumnType,
  values: readonly ColumnValue[],
): void {
  const start = buffer.startValue()
  addElements(buffer, elementType, values)
  buffer.endValue(start)
}

/** Returns an array of one dimension, for a parameter of a statement. */
export function arrayBytes(
  elementType: ColumnType,
  values: readonly ColumnValue[],
): Uint8Array<ArrayBuffer> {
  const buffer = new CopyBuffer()
  addElements(buffer, elementType, values)
  return buffer.bytes()
}

function addElements(
  buffer: CopyBuffer,
  elementType: ColumnType,
  values: readonly ColumnValue[],
): void {
  const { oid, add } = BINARY_TYPES[elementType]
  const dimensions = values.length === 0 ? 0 : 1
  const hasNulls = 0
  buffer.addInt32(dimensions)
  buffer.addInt32(hasNulls)
  buffer.addInt32(oid)
  if (dimensions > 0) {
    const lowerBound = 1
    buffer.addInt32(values.length)
    buffer.addInt32(lowerBound)
  }
  for (const value of values) add(buffer, value)
}

/** The bounding box of positions. */
export interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** Adds a value of type box with its length. */
export function addBox(buffer: CopyBuffer, { west, south, east, north }: Box): void {
  const start = buffer.startValue()
  for (const value of [east, north, west, south]) buffer.addFloat64(value)
  buffer.endValue(start)
}

/** Throws if the value is not an integer of this size, which would be truncated silently. */
function toInt(value: ColumnValue, bits: 16 | 32): number {
  const number = Number(value)
  const isSame = number === (bits === 16 ? (number << 16) >> 16 : number | 0)
  if (!isSame) throw new RangeError(`not a whole number of ${bits} bits: ${value}`)
  return number
}

function toInt64(value: ColumnValue): bigint {
  const number = BigInt(value)
  if (number !== BigInt.asIntN(64, number)) throw new RangeError(`not a long: ${value}`)
  return number
}

function addDouble(buffer: CopyBuffer, value: number): void {
  buffer.addInt32(8)
  // Minus zero becomes zero, as in text.
  buffer.addFloat64(value + 0)
}

const POSITIVE = 0x0000
const NEGATIVE = 0x4000
const DIGITS_PER_GROUP = 4

/** Groups of four decimal digits. PostgreSQL drops groups of zeros at both ends. */
function addNumeric(buffer: CopyBuffer, text: string): void {
  const isNegative = text.startsWith('-')
  const [whole = '', fraction = ''] = text.slice(isNegative ? 1 : 0).split('.')
  const wholeGroups = Math.ceil(whole.length / DIGITS_PER_GROUP)
  const groups = wholeGroups + Math.ceil(fraction.length / DIGITS_PER_GROUP)
  const digits = (whole.padStart(DIGITS_PER_GROUP * wholeGroups, '0') + fraction).padEnd(
    DIGITS_PER_GROUP * groups,
    '0',
  )
  const start = buffer.startValue()
  buffer.addInt16(groups)
  // The power of 10,000 of the first group.
  buffer.addInt16(wholeGroups - 1)
  buffer.addInt16(isNegative ? NEGATIVE : POSITIVE)
  buffer.addInt16(fraction.length)
  for (let at = 0; at < digits.length; at += DIGITS_PER_GROUP) {
    buffer.addInt16(Number(digits.slice(at, at + DIGITS_PER_GROUP)))
  }
  buffer.endValue(start)
}
