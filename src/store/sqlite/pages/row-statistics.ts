/** Counts rows for the planner, with short index scans. */
import { toColumnValue } from '../../../query/compared-value.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { ReadPageRequest } from '../../object-store.ts'
import { indexedEquality } from '../../sql/compile/property-sql.ts'
import { LIMIT, type TableHead, type TypeHead, VISIBLE } from '../catalogue/type-head.ts'
import type { StatementCache } from '../file/sqlite-session.ts'
import { countIn } from '../queries/count-in.ts'
import { estimateRows } from '../queries/find-rows.ts'
import { queryTables } from '../queries/query-tables.ts'
import type { ReadConnection } from '../queries/read-connection.ts'
import type { RowStatistics } from './plan-page.ts'

/** The commits to look at when counting the rows that are newer than a snapshot. */
const MAX_LATER_COMMITS = 1000

export function rowStatistics(
  connection: ReadConnection,
  { objectType, query, after }: ReadPageRequest,
  head: TypeHead,
  { table, layout }: TableHead,
): RowStatistics {
  const { statements, fields } = connection
  return {
    countRowsAfter: (version) => countRowsAfter(statements, head.typeId, version),
    countRowVersions: (limit) => {
      const numbers = fields.read(head, layout)
      const search = { table, objectType, numbers, query, ...ALL_ROW_VERSIONS }
      return estimateRows(statements, search, queryTables(connection, search), limit) ?? Infinity
    },
    countCandidates: ({ field, value }, limit) => {
      const property = fields.read(head, layout).propertySql(field.property, field.structField)
      const { sql, values } = indexedEquality(property, toColumnValue(value))
      const matching = `(SELECT 1 FROM ${objectTable(table)} AS o WHERE ${sql} ${LIMIT})`
      return countIn(statements, matching, [...values, limit])
    },
    countNear: ({ field, value }, limit, rows) => {
      const property = fields.read(head, layout).propertySql(field.property, field.structField)
      // Of the current rows, although the page may have those of another version.
      const near = `SELECT ${property.value} AS value FROM ${objectTable(table)} AS o
        WHERE ${VISIBLE.current} AND pk > ? ORDER BY pk ${LIMIT}`
      const matching = `(SELECT 1 FROM (${near}) WHERE value = ? ${LIMIT})`
      return countIn(statements, matching, [after?.pk ?? '', rows, toColumnValue(value), limit])
    },
  }
}

/** `estimateRows` ignores visibility and order. */
const ALL_ROW_VERSIONS = {
  order: [],
  visibility: 'current',
  visibleValues: [],
  // Only counts equal rows, which no link is followed for.
  versions: new Map(),
} as const

function countRowsAfter(statements: StatementCache, typeId: number, version: number): number {
  const row = statements
    .prepare(
      `SELECT count(*), coalesce(sum(put), 0) FROM (
         SELECT put FROM oqs_commit_log WHERE object_type_id = ? AND version > ?
         ORDER BY version ${LIMIT})`,
    )
    .get(typeId, version, MAX_LATER_COMMITS)
  const [commits, rows] = row as [number, number]
  return commits === MAX_LATER_COMMITS ? Number.POSITIVE_INFINITY : rows
}
