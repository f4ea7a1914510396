import type { ScalarType } from '../ontology/definition/property-type.ts'
import type { ColumnValue } from '../ontology/values/column-value.ts'
import type { NumericType, TimeType } from './aggregation.ts'
import { ratioToDouble } from './exact-number.ts'

/** Column values → what the wire shows; `ontology/column-value.ts` is the way there. */

/** The value in the JSON encoding of its type. Of equal decimals the shortest is shown. */
export function columnJson(type: ScalarType, value: ColumnValue): string {
  switch (type) {
    case 'boolean':
      return Number(value) === 1 ? 'true' : 'false'
    case 'byte':
    case 'short':
    case 'integer':
      return String(value)
    case 'float':
    case 'double':
      return Number.isFinite(Number(value)) ? String(value) : `"${value}"`
    case 'decimal':
      return `"${decimalText(decimalOf(String(value)))}"`
    case 'timestamp':
      return `"${shortTimestamp(String(value))}"`
    default:
      return JSON.stringify(String(value))
  }
}

/** The value as a double: decimals and longs rounded once, times in milliseconds since 1970. */
export function columnNumber(type: NumericType | TimeType, value: ColumnValue): number {
  switch (type) {
    case 'decimal': {
      const { units, scale } = decimalOf(String(value))
      return ratioToDouble(units, 10n ** BigInt(scale))
    }
    case 'date':
      return Date.parse(String(value))
    case 'timestamp': {
      const text = String(value)
      // Date keeps milliseconds, timestamps microseconds.
      const micros =
        BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(text.slice(20, -1))
      return ratioToDouble(micros, 1000n)
    }
    default:
      return Number(value)
  }
}

/** An exact decimal: `units` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** How many digits stand before the point is written in so many digits. */
const LENGTH_DIGITS = 3

/** Reads a sortable decimal. */
export function decimalOf(sortable: string): Decimal {
  const negative = sortable.startsWith('0')
  const magnitude = negative ? turned(sortable.slice(1, -1)) : sortable.slice(1)
  const digits = magnitude.slice(LENGTH_DIGITS)
  const scale = digits.length - Number(magnitude.slice(0, LENGTH_DIGITS))
  const units = BigInt(digits)
  return { units: negative ? -units : units, scale }
}

function turned(digits: string): string {
  return digits.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))
}

function decimalText({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale)
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** As timestamps are stored and shown: without a fraction, in milliseconds or in microseconds. */
function shortTimestamp(sortable: string): string {
  return sortable.replace(/(?:\.000000|000)Z$/, 'Z')
}
