/**
 * Aggregates the objects of a version, in one transaction. The database filters, groups and
 * sums; this module converts its rows to groups, and exact sums to doubles.
 */

import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { Reclaimed } from '../../object-store.ts'
import type { AggregateRequest, AggregateResult, AggregateSource } from '../../port/pages.ts'
import {
  type CompiledAggregation,
  compileAggregation,
  GroupCollector,
  type SourceRows,
  tooManyGroups,
} from '../../sql/aggregate/aggregate-groups.ts'
import type { Cell } from '../../sql/aggregate/aggregate-metric.ts'
import { aggregateSql, countGroupsSql } from '../../sql/aggregate/aggregate-sql.ts'
import { emptyTable } from '../catalogue/object-table.ts'
import { readTypeHead } from '../catalogue/type-head.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { SQLITE_GROUPINGS } from './aggregate-grouping.ts'
import { SQLITE_METRICS } from './aggregate-metric.ts'
import { querySql } from './query-sql.ts'
import { queryTables } from './query-tables.ts'
import { inReadTransaction, type ReadConnection } from './read-connection.ts'
import { readVersions, VISIBLE } from './type-versions.ts'

export function aggregate(
  connection: ReadConnection,
  { sources, aggregation, maxGroups }: AggregateRequest,
): AggregateResult | Reclaimed {
  return inReadTransaction(connection, () => {
    const rows: SourceRows[] = []
    for (const source of sources) {
      const ofSource = sourceRows(connection, source)
      if (ofSource === 'reclaimed') return ofSource
      rows.push(ofSource)
    }
    const compiled = compileAggregation(aggregation, rows, DIALECT)
    const groups = readGroups(connection.statements, compiled, maxGroups)
    return { ...groups, versions: rows.map(({ version }) => version) }
  })
}

function sourceRows(connection: ReadConnection, source: AggregateSource): SourceRows | Reclaimed {
  const { statements, fields } = connection
  const { objectType, query } = source
  const head = readTypeHead(statements, objectType)
  const versions = readVersions(statements, source, head)
  if (versions === 'reclaimed') return versions
  const own = versions.get(objectType.rid)
  if (own === undefined) throw new Error('a query reads its own type')
  const { version, isLatest, table } = own
  const numbers = fields.read(head, table.layout)
  const created = table.isCreated ? table.table : undefined
  return {
    source,
    version,
    numbers,
    table: created === undefined ? emptyTable(numbers) : objectTable(created),
    // The plus sign stops SQLite from using the index of current rows: an aggregation reads the
    // whole table, and a sequential scan is many times faster than random access.
    visible: isLatest
      ? { sql: `+${VISIBLE.current}`, values: [] }
      : { sql: '+valid_from <= ? AND +valid_to > ?', values: [version, version] },
    matching: querySql(
      query,
      queryTables(connection, { table: created, objectType, numbers, versions }),
    ),
  }
}

const DIALECT = { groupings: SQLITE_GROUPINGS, metrics: SQLITE_METRICS }

function readGroups(
  statements: StatementCache,
  compiled: CompiledAggregation,
  maxGroups: number,
): Omit<AggregateResult, 'versions'> {
  const { sql, values } = aggregateSql(compiled)
  const statement = statements.prepare(sql)
  statement.setReadBigInts(true)
  const collector = new GroupCollector(compiled)
  for (const row of statement.iterate(...values, maxGroups + 1)) {
    collector.add(row as Cell[])
  }
  if (collector.exceeds(maxGroups))
    throw tooManyGroups(countGroups(statements, compiled), maxGroups)
  return collector.finish()
}

function countGroups(statements: StatementCache, compiled: CompiledAggregation): number {
  const { sql, values } = countGroupsSql(compiled)
  const row = statements.prepare(sql).get(...values)
  return (row as [number])[0]
}
