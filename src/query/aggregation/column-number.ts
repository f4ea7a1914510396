/** Column values as doubles, for metrics. */

import { type ColumnValue, decodeDecimal } from '../../ontology/values/column-value.ts'
import type { NumericType, TimeType } from './aggregation.ts'

/** Returns the nearest double. Times are in milliseconds since 1970. */
export function columnNumber(type: NumericType | TimeType, value: ColumnValue): number {
  switch (type) {
    case 'decimal': {
      const { units, scale } = decodeDecimal(String(value))
      return ratioToDouble(units, 10n ** BigInt(scale))
    }
    case 'date':
      return Date.parse(String(value))
    case 'timestamp': {
      const text = String(value)
      // Date has milliseconds, timestamps have microseconds.
      const micros =
        BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(text.slice(20, -1))
      return ratioToDouble(micros, 1000n)
    }
    default:
      return Number(value)
  }
}

/** More bits than a double holds, so that the rest decides only how to round. */
const QUOTIENT_BITS = 64
/** The smallest double is 2 ** -1074; two bits more decide how to round. */
const MAX_SHIFT = 1076

/** Returns the double nearest to a ratio, rounded once, half to even. The denominator must be positive. */
export function ratioToDouble(numerator: bigint, denominator: bigint): number {
  if (numerator < 0n) return -ratioToDouble(-numerator, denominator)
  const bits = 4 * (numerator.toString(16).length - denominator.toString(16).length)
  const shift = Math.min(Math.max(QUOTIENT_BITS - bits, 0), MAX_SHIFT)
  const scaled = numerator << BigInt(shift)
  const quotient = scaled / denominator
  // A sticky bit below the precision of a double represents the remainder.
  const sticky = scaled % denominator === 0n ? 0n : 1n
  // In two steps, because 2 ** -1076 is no double; only one of them can round.
  const half = shift >>> 1
  return Number(quotient | sticky) * 2 ** -half * 2 ** (half - shift)
}
