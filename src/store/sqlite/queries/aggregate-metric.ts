import type { NumericType } from '../../../query/aggregation/aggregation.ts'
import { columnNumber } from '../../../query/aggregation/column-number.ts'
import type { ExactSum, MetricDialect, MetricSql } from '../../sql/aggregate-metric.ts'
import { DECIMAL_SUM, readDecimalSum } from './aggregate-functions.ts'

/** The metrics that SQLite computes in its own way. */
export const SQLITE_METRICS: MetricDialect = { exactSum, floatingSum, readNumber: columnNumber }

function exactSum(type: Exclude<NumericType, 'float' | 'double'>, column: string): ExactSum {
  switch (type) {
    case 'byte':
    case 'short':
    case 'integer':
      return {
        columns: [`sum(CAST(${column} AS INTEGER))`],
        read: ([sum]) => ({ units: BigInt(sum ?? 0), scale: 0 }),
      }
    case 'long':
      // In two halves, because SQLite fails if a sum does not fit into 64 bits.
      return {
        columns: [`sum(${column} >> 32)`, `sum(${column} & 4294967295)`],
        read: ([high, low]) => ({
          units: BigInt(high ?? 0) * 2n ** 32n + BigInt(low ?? 0),
          scale: 0,
        }),
      }
    case 'decimal':
      return {
        columns: [`${DECIMAL_SUM}(${column})`],
        read: ([sum]) => readDecimalSum(String(sum)),
      }
  }
}

const TWO_64 = 2 ** 64

/**
 * SQLite sums doubles with error compensation. NaN (stored as text) and the infinities are counted
 * separately, because they alone determine the sum. The second sum is scaled by 2^-64: it gives the
 * result if only an intermediate value of the first one overflowed.
 */
function floatingSum(column: string, divisor: (count: number) => number): MetricSql {
  const finite = `FILTER (WHERE ${column} > -9e999 AND ${column} < 9e999)`
  return {
    columns: [
      `count(${column})`,
      `count(*) FILTER (WHERE typeof(${column}) = 'text')`,
      `count(*) FILTER (WHERE ${column} = 9e999)`,
      `count(*) FILTER (WHERE ${column} = -9e999)`,
      `total(${column}) ${finite}`,
      `total(${column} / 4294967296 / 4294967296) ${finite}`,
    ],
    read: (cells) => {
      const [count = 0, nan = 0, positive = 0, negative = 0, sum = 0, part = 0] = cells.map(Number)
      if (count === 0) return undefined
      if (nan > 0 || (positive > 0 && negative > 0)) return Number.NaN
      if (positive > 0) return Infinity
      if (negative > 0) return -Infinity
      const by = divisor(count)
      return Number.isFinite(sum) ? sum / by : (part / by) * TWO_64
    },
  }
}
