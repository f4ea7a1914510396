import type { Aggregated, AggregateRead } from '../../aggregate-read.ts'
import {
  type CompiledAggregation,
  compileAggregation,
  GroupCollector,
  tooManyGroups,
} from '../../sql/aggregate-groups.ts'
import type { Cell } from '../../sql/aggregate-metric.ts'
import { type AggregateParts, aggregateSql, countGroupsSql } from '../../sql/aggregate-sql.ts'
import { readFieldNumbers } from '../catalogue/field-numbers.ts'
import { emptyTable, objectTable } from '../catalogue/object-table.ts'
import { readTypeHead } from '../catalogue/type-head.ts'
import { inTransaction } from '../file/connection.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { VISIBLE } from '../pages/page-sql.ts'
import type { Reading } from '../threads/reading.ts'
import { SQLITE_GROUPINGS } from './aggregate-grouping.ts'
import { SQLITE_METRICS } from './aggregate-metric.ts'
import { queryTables, type RowSearch } from './find-rows.ts'
import { querySql } from './query-sql.ts'

/**
 * Aggregates the current objects of a type. The database filters, groups and adds up; here its
 * rows become groups, and exact sums doubles. All is read in one transaction.
 */
export function aggregate({ db, statements }: Reading, read: AggregateRead): Aggregated {
  return inTransaction(db, 'read', () => {
    const { objectType, query, aggregation } = read
    const head = readTypeHead(statements, objectType)
    const { table, isMade } = head.current
    const numbers = readFieldNumbers(db, head.typeId)
    const compiled = compileAggregation(aggregation, numbers, DIALECT)
    const search: RowSearch = { table, objectType, numbers, query, ...CURRENT }
    const parts: AggregateParts & CompiledAggregation = {
      ...compiled,
      table: isMade ? objectTable(table) : emptyTable(numbers),
      // The plus sign keeps the database from the index of current rows: a scan in the order of
      // the file is many times faster than one that jumps, and it is the whole table that is wanted.
      visible: { sql: `+${VISIBLE.current}`, values: [] },
      matching: querySql(query, queryTables(statements, search)),
    }
    return readGroups(statements, parts, read.maxGroups)
  })
}

const DIALECT = { groupings: SQLITE_GROUPINGS, metrics: SQLITE_METRICS }

/** The latest objects, in no order. */
const CURRENT = { order: [], visibility: 'current', visible: [] } as const

function readGroups(
  statements: StatementCache,
  parts: AggregateParts & CompiledAggregation,
  maxGroups: number,
): Aggregated {
  const { sql, values } = aggregateSql(parts)
  const statement = statements.prepare(sql)
  statement.setReadBigInts(true)
  const collector = new GroupCollector(parts)
  for (const row of statement.iterate(...values, maxGroups + 1)) {
    collector.add(row as unknown as Cell[])
  }
  if (collector.isOver(maxGroups)) throw tooManyGroups(countGroups(statements, parts), maxGroups)
  return collector.finish()
}

function countGroups(statements: StatementCache, parts: AggregateParts): number {
  const { sql, values } = countGroupsSql(parts)
  const row = statements.prepare(sql).get(...values)
  return (row as unknown as [number])[0]
}
