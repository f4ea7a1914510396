/** Metrics of an aggregation as SQL. */
import type { Metric, NumericType } from '../../../query/aggregation/aggregation.ts'
import { ratioToDouble } from '../../../query/aggregation/column-number.ts'
import type { SqlValue } from '../../sql/compile/sql-condition.ts'
import { doubleJson } from '../../sql/group-writer.ts'
import { decodeJson, decodeNumber, decodeNumeric } from '../catalogue/column-codec.ts'
import { doubleSumSql } from './double-sum-sql.ts'

/** A metric as SQL: its columns, and how to compute its value from them. */
export interface MetricSql {
  readonly columns: readonly string[]
  /** The values that are bound in the columns. */
  readonly values: readonly SqlValue[]
  /** Returns the value as JSON text, or undefined if there are no values to compute it from. */
  readonly read: (cells: readonly Cell[]) => string | undefined
  /** Returns an expression that orders groups as the metric does, given the names of the columns. */
  readonly order: (names: readonly string[]) => string
}

export type Cell = SqlValue | null

/** The columns that a metric reads. */
interface MetricColumns {
  readonly value: string
  /** The share of values up to this one within its group; defined for percentiles. */
  readonly share: string
}

export function metricSql(metric: Metric, { value: column, share }: MetricColumns): MetricSql {
  switch (metric.kind) {
    case 'count':
      return counted('count(*)')
    case 'distinct':
      return counted(`count(DISTINCT ${column})`)
    case 'min':
    case 'max':
      return picked(`${metric.kind}(${column})`, metric)
    case 'percentile': {
      const isReached = `${share} >= CAST(? AS DOUBLE PRECISION)`
      return picked(`min(${column}) FILTER (WHERE ${isReached})`, metric, [metric.fraction])
    }
    case 'sum':
    case 'avg':
      return summed(metric.type, column, metric.kind === 'avg')
  }
}

function counted(column: string): MetricSql {
  return {
    columns: [column],
    values: [],
    read: ([count]) => String(count),
    order: ([name = '']) => name,
  }
}

/** A metric whose value is one of the values. */
function picked(
  column: string,
  { type, times }: Metric & { kind: 'min' | 'max' | 'percentile' },
  values: readonly SqlValue[] = [],
): MetricSql {
  return {
    columns: [column],
    values,
    read: ([value = null]) => {
      if (value === null) return undefined
      if (type === 'string') return decodeJson(type, value)
      const isText = (type === 'date' || type === 'timestamp') && times === 'text'
      return isText ? decodeJson(type, value) : doubleJson(decodeNumber(type, value))
    },
    order: ([name = '']) => name,
  }
}

/**
 * Digits after the point, beyond those of a sum, that decide the order of means: unequal means
 * differ by at least one in the product of their numbers of values. Later digits are truncated,
 * because the precision of a division depends on its operands.
 */
const QUOTIENT_DIGITS = 40

/** The digits after the point that an exact sum can have. */
function sumDigits(type: NumericType): number {
  switch (type) {
    case 'decimal':
      return 100
    case 'float':
    case 'double':
      return 1074
    default:
      return 0
  }
}

/** A sum or a mean. Sums are exact, of any size; NaN and the infinities determine a sum. */
function summed(type: NumericType, column: string, isMean: boolean): MetricSql {
  const isFloating = type === 'float' || type === 'double'
  const exponent = sumDigits(type) + QUOTIENT_DIGITS
  return {
    columns: [
      `count(${column})`,
      `(${isFloating ? doubleSumSql(column) : `sum(${column})`})::text`,
    ],
    values: [],
    read: ([counted, sum]) => {
      const count = Number(counted)
      return count === 0 ? undefined : doubleJson(readSum(String(sum), isMean ? count : 1))
    },
    // The order of a group without values is null.
    order: ([count = '', sum = '']) => {
      const quotient = isMean ? `div(${sum}::numeric * 1e${exponent}, ${count})` : undefined
      return `CASE WHEN ${count} > 0 THEN ${quotient ?? `${sum}::numeric`} END`
    },
  }
}

/** Returns a sum, divided by a number. */
function readSum(text: string, divisor: number): number {
  if (!/^-?\d/.test(text)) return Number(text)
  const { units, scale } = decodeNumeric(text)
  // The only rounding.
  return ratioToDouble(units, 10n ** BigInt(scale) * BigInt(divisor))
}
