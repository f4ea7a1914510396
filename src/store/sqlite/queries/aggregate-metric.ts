import type { NumericType } from '../../../query/aggregation/aggregation.ts'
import { columnNumber } from '../../../query/aggregation/column-number.ts'
import type { ExactSum, FloatingSum, MetricDialect } from '../../sql/aggregate/aggregate-metric.ts'
import { DECIMAL_SUM } from './aggregate-functions.ts'
import { EXACT_ORDER, FLOATING_ORDER, readExactSum, readFloatingSum } from './aggregate-sums.ts'

/** The metrics that SQLite computes in its own way. */
export const SQLITE_METRICS: MetricDialect = { exactSum, floatingSum, readNumber: columnNumber }

function exactSum(type: Exclude<NumericType, 'float' | 'double'>, column: string): ExactSum {
  return {
    columns: exactColumns(type, column),
    read: readExactSum,
    order: (names, divisor = '1') =>
      divisor === '1' && names.length === 1 && type !== 'decimal'
        ? names.join()
        : `${EXACT_ORDER}(${[divisor, ...names].join(', ')})`,
  }
}

function exactColumns(type: Exclude<NumericType, 'float' | 'double'>, column: string): string[] {
  switch (type) {
    case 'byte':
    case 'short':
    case 'integer':
      return [`sum(CAST(${column} AS INTEGER))`]
    case 'long':
      // In two halves, because SQLite fails if a sum does not fit into 64 bits.
      return [`sum(${column} >> 32)`, `sum(${column} & 4294967295)`]
    case 'decimal':
      return [`${DECIMAL_SUM}(${column})`]
  }
}

/**
 * SQLite sums doubles with error compensation. NaN (stored as text) and the infinities are counted
 * separately, because they alone determine the sum. The second sum is scaled by 2^-64: it gives the
 * result if only an intermediate value of the first one overflowed.
 */
function floatingSum(column: string): FloatingSum {
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
    read: readFloatingSum,
    order: (names, divisor = '1') => `${FLOATING_ORDER}(${[divisor, ...names].join(', ')})`,
  }
}
