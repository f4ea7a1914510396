import type { NumericType, TimeType } from '../../../query/aggregation.ts'
import { ratioToDouble } from '../../../query/exact-number.ts'
import { columnNumber, type Decimal } from '../../../query/from-column.ts'
import type { ExactSum, MetricDialect, MetricSql } from '../../sql/aggregate-metric.ts'
import type { SqlValue } from '../../sql/sql-condition.ts'

/** The metrics that PostgreSQL computes in its own way. */
export const POSTGRES_METRICS: MetricDialect = { exactSum, floatingSum, readNumber }

/** Sums of whole numbers and decimals are exact, of any size. */
function exactSum(_: NumericType, column: string): ExactSum {
  return { columns: [`sum(${column})::text`], read: ([sum]) => readDecimal(String(sum)) }
}

/**
 * Doubles are summed as decimals: a sum of doubles fails if an intermediate value overflows, and it
 * depends on the order of the rows. NaN and the infinities determine a sum of decimals too.
 */
function floatingSum(column: string, divisor: (count: number) => number): MetricSql {
  return {
    columns: [`count(${column})`, `sum(${column}::text::numeric)::text`],
    read: ([count, text]) => {
      const values = Number(count)
      if (values === 0) return undefined
      const sum = Number(text)
      // Only a sum can exceed the largest double, never a mean.
      if (Number.isFinite(sum) || !/^-?\d/.test(String(text))) return sum / divisor(values)
      const { units, scale } = readDecimal(String(text))
      return ratioToDouble(units, 10n ** BigInt(scale) * BigInt(divisor(values)))
    },
  }
}

function readDecimal(text: string): Decimal {
  const [whole = '', fraction = ''] = text.split('.')
  return { units: BigInt(whole + fraction), scale: fraction.length }
}

function readNumber(type: NumericType | TimeType, value: SqlValue): number {
  // The driver returns decimals as text.
  return type === 'decimal' ? Number(value) : columnNumber(type, value)
}
