/**
 * Sums as SQLite computes them, in several columns: the functions that put them together, for results
 * and, as SQL functions, for the order of groups.
 */
import type { DatabaseSync } from 'node:sqlite'
import {
  type Decimal,
  decimalText,
  sortableDecimal,
} from '../../../ontology/values/column-value.ts'
import { type Cell, QUOTIENT_DIGITS } from '../../sql/aggregate/aggregate-metric.ts'
import { readDecimalSum } from './aggregate-functions.ts'

/** The quotient of an exact sum as a sortable decimal. Arguments: the divisor and the sum. */
export const EXACT_ORDER = 'exact_order'

/** The quotient of a sum of doubles. Arguments: the divisor and the sum. */
export const FLOATING_ORDER = 'floating_order'

export function addOrderFunctions(db: DatabaseSync): void {
  const options = {
    deterministic: true,
    directOnly: true,
    useBigIntArguments: true,
    varargs: true,
  }
  db.function(EXACT_ORDER, options, (divisor, ...cells) =>
    sortableQuotient(readExactSum(cells as Cell[]), BigInt(divisor as bigint)),
  )
  db.function(FLOATING_ORDER, options, (divisor, ...cells) => {
    const value = readFloatingSum(cells as Cell[], Number(divisor))
    return Number.isNaN(value) ? 'NaN' : value
  })
}

const QUOTIENT_UNITS = 10n ** BigInt(QUOTIENT_DIGITS)

function sortableQuotient({ units, scale }: Decimal, divisor: bigint): string {
  if (divisor === 1n) return sortableDecimal(decimalText({ units, scale }))
  const quotient = (units * QUOTIENT_UNITS) / divisor
  return sortableDecimal(decimalText({ units: quotient, scale: scale + QUOTIENT_DIGITS }))
}

/** Reads a decimal sum, the two halves of a sum of longs, or a sum that fits into 64 bits. */
export function readExactSum([sum = null, low]: readonly Cell[]): Decimal {
  if (typeof sum === 'string') return readDecimalSum(sum)
  if (low === undefined) return { units: BigInt(sum ?? 0), scale: 0 }
  return { units: BigInt(sum ?? 0) * 2n ** 32n + BigInt(low ?? 0), scale: 0 }
}

const TWO_64 = 2 ** 64

/** Reads the columns of a sum of doubles; see `floatingSum`. */
export function readFloatingSum(cells: readonly Cell[], divisor: number): number {
  const [, nan = 0, positive = 0, negative = 0, sum = 0, part = 0] = cells.map(Number)
  if (nan > 0 || (positive > 0 && negative > 0)) return Number.NaN
  if (positive > 0) return Infinity
  if (negative > 0) return -Infinity
  return Number.isFinite(sum) ? sum / divisor : (part / divisor) * TWO_64
}
