/**
 * The two forms in which columns store values: as numbers, if doubles hold all of them exactly, or
 * as texts that sort as the values do. Times are days or microseconds since 1970.
 */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import {
  type ColumnValue,
  decimalText,
  decodeDecimal,
  sortableDecimal,
} from '../../../ontology/values/column-value.ts'
import { daysOf, millisecondsOf, restOfMicroseconds } from '../../../ontology/values/read-time.ts'

const DAY_MS = 86_400_000

/** Returns the number of a value of any type but texts and decimals. A long may be rounded. */
export function toNumber(type: ScalarType, value: ColumnValue): number {
  switch (type) {
    case 'date':
      return daysOf(String(value))
    case 'timestamp': {
      const text = String(value)
      return millisecondsOf(text) * 1000 + restOfMicroseconds(text)
    }
    default:
      return Number(value)
  }
}

/** True if a number stands for one value only. */
export function isExact(type: ScalarType, number: number): boolean {
  return (type !== 'long' && type !== 'timestamp') || Number.isSafeInteger(number)
}

/** Returns the column value of a number. */
export function fromNumber(type: ScalarType, number: number): ColumnValue {
  switch (type) {
    case 'date':
      return new Date(number * DAY_MS).toISOString().slice(0, 10)
    case 'timestamp': {
      const milliseconds = Math.floor(number / 1000)
      const time = new Date(milliseconds).toISOString()
      return `${time.slice(0, -1)}${String(number - milliseconds * 1000).padStart(3, '0')}Z`
    }
    case 'long':
      return BigInt(number)
    case 'float':
    case 'double':
      return Number.isNaN(number) ? 'NaN' : number
    default:
      return number
  }
}

export function toText(type: ScalarType, value: ColumnValue): string {
  return type === 'long' ? sortableDecimal(String(value)) : String(value)
}

/** Returns the column value of a text. */
export function fromText(type: ScalarType, text: string): ColumnValue {
  return type === 'long' ? BigInt(decimalText(decodeDecimal(text))) : text
}

const bytes = new DataView(new ArrayBuffer(8))

/** Returns the smallest double above a number; NaN, which no number equals, if there is none. */
export function nextAbove(number: number): number {
  if (number === Infinity) return Number.NaN
  if (number === 0) return Number.MIN_VALUE
  bytes.setFloat64(0, number)
  bytes.setBigInt64(0, bytes.getBigInt64(0) + (number > 0 ? 1n : -1n))
  return bytes.getFloat64(0)
}
