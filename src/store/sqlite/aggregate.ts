import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../contract/errors.ts'
import { AGGREGATE_MAX_BYTES } from '../../contract/limits.ts'
import type { Metric } from '../../query/aggregation.ts'
import type { Aggregated, AggregatedGroup, AggregateRead } from '../aggregate-read.ts'
import { groupingSql } from './aggregate-grouping.ts'
import { metricSql } from './aggregate-metric.ts'
import { type AggregateParts, aggregateSql, countGroupsSql, isCut } from './aggregate-sql.ts'
import { inTransaction } from './connection.ts'
import { columnOf, type FieldNumbers, readFieldNumbers } from './field-numbers.ts'
import { queryTables, type RowSearch } from './find-rows.ts'
import { querySql, type SqlValue } from './query-sql.ts'
import type { StatementCache } from './statement-cache.ts'
import { readTypeHead } from './type-head.ts'

/**
 * Aggregates the current objects of a type. The database filters, groups and adds up; here its
 * rows become groups, and exact sums doubles. All is read in one transaction.
 */
export function aggregate(
  db: DatabaseSync,
  statements: StatementCache,
  read: AggregateRead,
): Aggregated {
  return inTransaction(db, 'read', () => {
    const { objectType, query, aggregation } = read
    const head = readTypeHead(statements, objectType)
    const { table } = head.current
    const numbers = readFieldNumbers(db, head.typeId)
    const column = columnFinder(numbers)
    const groupings = aggregation.groupings.map((grouping, index) =>
      groupingSql(grouping, column(grouping.property), index),
    )
    const metrics = aggregation.metrics.map((metric) =>
      metricSql(metric, metric.kind === 'count' ? '' : column(metric.property)),
    )
    const search: RowSearch = { table, objectType, numbers, query, ...CURRENT }
    const parts: AggregateParts = {
      table,
      matching: querySql(query, queryTables(statements, search)),
      groupings,
      columns: metrics.flatMap(({ columns }) => columns),
    }
    const toGroup = (values: readonly (SqlValue | null)[]): AggregatedGroup => {
      let at = groupings.length
      return {
        keys: groupings.map((grouping, index) => grouping.read(values[index] ?? '')),
        metrics: metrics.map(({ columns, read: readMetric }) => {
          at += columns.length
          return readMetric(values.slice(at - columns.length, at))
        }),
      }
    }
    return readGroups(statements, read, parts, toGroup)
  })
}

/** The latest objects, in no order. */
const CURRENT = { order: [], visibility: 'current', visible: [] } as const

function readGroups(
  statements: StatementCache,
  { aggregation, maxGroups }: AggregateRead,
  parts: AggregateParts,
  toGroup: (values: readonly (SqlValue | null)[]) => AggregatedGroup,
): Aggregated {
  const cut = isCut(parts)
  const { sql, values } = aggregateSql(parts)
  const statement = statements.prepare(sql)
  statement.setReadBigInts(true)
  const groups: AggregatedGroup[] = []
  const metricBytes = bytesOfMetrics(aggregation.metrics)
  let [bytes, all, kept] = [0, 0, 0]
  for (const row of statement.iterate(...values, maxGroups + 1)) {
    const cells = row as unknown as (SqlValue | null)[]
    const group = toGroup(cells)
    groups.push(group)
    bytes += metricBytes + group.keys.reduce((sum, key) => sum + key.length, 0)
    if (bytes > AGGREGATE_MAX_BYTES) {
      throw new ObjectQueryError('AggregationMemoryExceededLimit', {
        bytesLimit: AGGREGATE_MAX_BYTES,
      })
    }
    if (cut) {
      kept += Number(cells.at(-2))
      all = Number(cells.at(-1))
    }
  }
  if (aggregation.groupings.length > 0 && groups.length > maxGroups) {
    throw new ObjectQueryError('AggregationGroupCountExceededLimit', {
      groupsCount: countGroups(statements, parts),
      groupsLimit: maxGroups,
    })
  }
  return { groups, excludedItems: cut ? all - kept : undefined }
}

function countGroups(statements: StatementCache, parts: AggregateParts): number {
  const { sql, values } = countGroupsSql(parts)
  const row = statements.prepare(sql).get(...values)
  return (row as unknown as [number])[0]
}

/** What the metrics of one group take in an answer: name, number and the signs between. */
const METRIC_BYTES = 50

function bytesOfMetrics(metrics: readonly Metric[]): number {
  return metrics.reduce((bytes, { name }) => bytes + name.length + METRIC_BYTES, 0)
}

function columnFinder(numbers: FieldNumbers): (property: string) => string {
  return (property) => `o.${columnOf(numbers.of({ property, structField: undefined }))}`
}
