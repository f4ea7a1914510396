/** Metrics of an aggregation as SQL. */
import type { Decimal } from '../../../ontology/values/column-value.ts'
import type { Metric, NumericType, TimeType } from '../../../query/aggregation/aggregation.ts'
import { ratioToDouble } from '../../../query/aggregation/column-number.ts'
import type { SqlValue } from '../compile/sql-condition.ts'
import type { GroupingDialect } from './aggregate-grouping.ts'
import { doubleJson } from './group-json.ts'

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

/** The metrics that each database computes in its own way. */
export interface MetricDialect {
  readonly exactSum: (type: Exclude<NumericType, 'float' | 'double'>, column: string) => ExactSum
  /** The sum of doubles. */
  readonly floatingSum: (column: string) => FloatingSum
  /** Returns a stored value as a double; times in milliseconds. */
  readonly readNumber: (type: NumericType | TimeType, value: SqlValue) => number
}

export interface ExactSum {
  readonly columns: readonly string[]
  readonly read: (cells: readonly Cell[]) => Decimal
  /** Returns an expression that orders by the sum, which may be divided by another expression. */
  readonly order: (names: readonly string[], divisor: string | undefined) => string
}

export interface FloatingSum {
  /** The first column is the number of values. */
  readonly columns: readonly string[]
  /** Returns the sum, divided by a number; only called if there are values. */
  readonly read: (cells: readonly Cell[], divisor: number) => number
  readonly order: (names: readonly string[], divisor: string | undefined) => string
}

interface MetricDialects {
  readonly groupings: Pick<GroupingDialect, 'keyJson'>
  readonly metrics: MetricDialect
}

/** The columns that a metric reads. */
interface MetricColumns {
  readonly value: string
  /** The share of values up to this one within its group; defined for percentiles. */
  readonly share: string
}

export function metricSql(
  metric: Metric,
  { value: column, share }: MetricColumns,
  dialects: MetricDialects,
): MetricSql {
  switch (metric.kind) {
    case 'count':
      return counted('count(*)')
    case 'distinct':
      return counted(`count(DISTINCT ${column})`)
    case 'min':
    case 'max':
      return { ...picked(`${metric.kind}(${column})`, metric, dialects), values: [] }
    case 'percentile':
      return {
        ...picked(
          `min(${column}) FILTER (WHERE ${share} >= CAST(? AS DOUBLE PRECISION))`,
          metric,
          dialects,
        ),
        values: [metric.fraction],
      }
    case 'sum':
      return sumSql(metric.type, column, SUM, dialects.metrics)
    case 'avg':
      return sumSql(metric.type, column, MEAN, dialects.metrics)
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
  { groupings, metrics }: MetricDialects,
): Omit<MetricSql, 'values'> {
  const isText =
    type === 'string' || ((type === 'date' || type === 'timestamp') && times === 'text')
  return {
    columns: [column],
    read: ([value = null]) => {
      if (value === null) return undefined
      if (type === 'string' || isText) return groupings.keyJson(type, value)
      return doubleJson(metrics.readNumber(type, value))
    },
    order: ([name = '']) => name,
  }
}

/** What a sum is divided by: a number and an SQL expression, given the number of values. */
interface Divisor {
  readonly number: (count: number) => number
  readonly sql: (count: string) => string | undefined
}

const SUM: Divisor = { number: () => 1, sql: () => undefined }
const MEAN: Divisor = { number: (count) => count, sql: (count) => count }

function sumSql(
  type: NumericType,
  column: string,
  divisor: Divisor,
  dialect: MetricDialect,
): MetricSql {
  if (type === 'float' || type === 'double') {
    const { columns, read, order } = dialect.floatingSum(column)
    return {
      columns,
      values: [],
      read: (cells) => {
        const count = Number(cells[0])
        return count === 0 ? undefined : doubleJson(read(cells, divisor.number(count)))
      },
      order: (names) => ifAny(names[0] ?? '', order(names, divisor.sql(names[0] ?? ''))),
    }
  }
  const { columns, read, order } = dialect.exactSum(type, column)
  return {
    columns: [`count(${column})`, ...columns],
    values: [],
    read: ([count, ...cells]) => {
      const values = Number(count)
      if (values === 0) return undefined
      const { units, scale } = read(cells)
      // The only rounding.
      const by = 10n ** BigInt(scale) * BigInt(divisor.number(values))
      return doubleJson(ratioToDouble(units, by))
    },
    order: ([count = '', ...names]) => ifAny(count, order(names, divisor.sql(count))),
  }
}

/** The order of a group without values is null. */
function ifAny(count: string, order: string): string {
  return `CASE WHEN ${count} > 0 THEN ${order} END`
}

/** How groups are ordered by metrics: one rule for both databases. */

/**
 * Digits after the point, beyond those of a sum, that decide the order of means. Unequal means
 * differ earlier: by at least one in the product of their numbers of values.
 */
export const QUOTIENT_DIGITS = 60
