import type { NumericType } from '../../../query/aggregation/aggregation.ts'
import { ratioToDouble } from '../../../query/aggregation/column-number.ts'
import {
  type ExactSum,
  type FloatingSum,
  type MetricDialect,
  QUOTIENT_DIGITS,
} from '../../sql/aggregate/aggregate-metric.ts'
import { decodeNumber, decodeNumeric } from '../catalogue/column-codec.ts'

/** The metrics that PostgreSQL computes in its own way. */
export const POSTGRES_METRICS: MetricDialect = { exactSum, floatingSum, readNumber: decodeNumber }

/** Sums of whole numbers and decimals are exact, of any size. */
function exactSum(_: NumericType, column: string): ExactSum {
  return {
    columns: [`sum(${column})::text`],
    read: ([sum]) => decodeNumeric(String(sum)),
    order: ([sum = ''], divisor) => quotient(sum, divisor),
  }
}

/**
 * Doubles are summed as decimals: a sum of doubles fails if an intermediate value overflows, and it
 * depends on the order of the rows. NaN and the infinities determine a sum of decimals too.
 */
function floatingSum(column: string): FloatingSum {
  return {
    columns: [`count(${column})`, `sum(${column}::text::numeric)::text`],
    read: ([, text], divisor) => {
      const sum = Number(text)
      // Only a sum can exceed the largest double, never a mean.
      if (Number.isFinite(sum) || !/^-?\d/.test(String(text))) return sum / divisor
      const { units, scale } = decodeNumeric(String(text))
      return ratioToDouble(units, 10n ** BigInt(scale) * BigInt(divisor))
    },
    order: ([, sum = ''], divisor) => quotient(sum, divisor),
  }
}

/** Truncated after many digits, because the precision of a division depends on its operands. */
function quotient(sum: string, divisor: string | undefined): string {
  if (divisor === undefined) return `${sum}::numeric`
  return `div(${sum}::numeric * 1e${QUOTIENT_DIGITS}, ${divisor})`
}
