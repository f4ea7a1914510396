/** Aggregates objects in SQLite. See core/queries/aggregate.ts. */

import { objectTable } from '../../core/catalogue/object-tables.ts'
import { type Aggregator, aggregate as aggregateIn } from '../../core/queries/aggregate.ts'
import { runNow, settled } from '../../core/session/session.ts'
import type { Reclaimed } from '../../object-store.ts'
import type { AggregateRequest, AggregateResult, AggregateSource } from '../../port/pages.ts'
import type { SourceRows } from '../../sql/aggregate/aggregate-groups.ts'
import type { Cell } from '../../sql/aggregate/aggregate-metric.ts'
import { emptyTable } from '../catalogue/object-table.ts'
import { readTypeHead, readVersions, VISIBLE } from '../catalogue/type-head.ts'
import { SQLITE_GROUPINGS } from './aggregate-grouping.ts'
import { SQLITE_METRICS } from './aggregate-metric.ts'
import { querySql } from './query-sql.ts'
import { queryTables } from './query-tables.ts'
import { inReadTransaction, type ReadConnection } from './read-connection.ts'

export function aggregate(
  connection: ReadConnection,
  request: AggregateRequest,
): AggregateResult | Reclaimed {
  const { statements } = connection
  const aggregator: Aggregator = {
    dialect: { groupings: SQLITE_GROUPINGS, metrics: SQLITE_METRICS },
    sourceRows: (source) => settled(sourceRows(connection, source)),
    readGroups: ({ sql, values }, _, add) => {
      const statement = statements.prepare(sql)
      statement.setReadBigInts(true)
      for (const row of statement.iterate(...values)) add(row as Cell[])
      return settled(undefined)
    },
    readCount: ({ sql, values }) =>
      settled((statements.prepare(sql).get(...values) as [number])[0]),
  }
  return inReadTransaction(connection, () => runNow(aggregateIn(aggregator, request)))
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
