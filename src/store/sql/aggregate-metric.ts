/** Metrics of an aggregation as SQL. */
import type { Decimal } from '../../ontology/values/column-value.ts'
import type { Metric, NumericType, TimeType } from '../../query/aggregation/aggregation.ts'
import { ratioToDouble } from '../../query/aggregation/ratio-to-double.ts'
import type { SqlValue } from './sql-condition.ts'

/** A metric as SQL: its columns, and how to compute its value from them. */
export interface MetricSql {
  readonly columns: readonly string[]
  readonly read: (cells: readonly Cell[]) => number | undefined
}

export type Cell = SqlValue | null

/** The metrics that each database computes in its own way. */
export interface MetricDialect {
  readonly exactSum: (type: Exclude<NumericType, 'float' | 'double'>, column: string) => ExactSum
  /** The sum of doubles, divided by a function of their number. */
  readonly floatingSum: (column: string, divisor: (count: number) => number) => MetricSql
  /** Returns a stored value as a double; times in milliseconds. */
  readonly readNumber: (type: NumericType | TimeType, value: SqlValue) => number
}

export interface ExactSum {
  readonly columns: readonly string[]
  readonly read: (cells: readonly Cell[]) => Decimal
}

export function metricSql(metric: Metric, column: string, dialect: MetricDialect): MetricSql {
  switch (metric.kind) {
    case 'count':
      return { columns: ['count(*)'], read: ([count]) => Number(count) }
    case 'approximateDistinct':
      return { columns: [`count(DISTINCT ${column})`], read: ([count]) => Number(count) }
    case 'min':
    case 'max':
      return {
        columns: [`${metric.kind}(${column})`],
        read: ([value = null]) =>
          value === null ? undefined : dialect.readNumber(metric.type, value),
      }
    case 'sum':
      return sumSql(metric.type, column, () => 1, dialect)
    case 'avg':
      return sumSql(metric.type, column, (count) => count, dialect)
  }
}

/** The sum of values, divided by a function of their number. */
function sumSql(
  type: NumericType,
  column: string,
  divisor: (count: number) => number,
  dialect: MetricDialect,
): MetricSql {
  if (type === 'float' || type === 'double') return dialect.floatingSum(column, divisor)
  const { columns, read } = dialect.exactSum(type, column)
  return {
    columns: [`count(${column})`, ...columns],
    read: ([count, ...cells]) => {
      const values = Number(count)
      if (values === 0) return undefined
      const { units, scale } = read(cells)
      // The only rounding.
      return ratioToDouble(units, 10n ** BigInt(scale) * BigInt(divisor(values)))
    },
  }
}
