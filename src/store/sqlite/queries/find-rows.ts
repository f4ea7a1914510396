/** Finds and counts the rows that match a query: ids in page order, before any record is read. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { OrderTerm, Query } from '../../../query/query.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import type { Cursor } from '../../object-store.ts'
import { type KeysetCursor, orderBranches, orderColumn } from '../../sql/compile/keyset-sql.ts'
import type { BoundValue, SqlCondition, SqlValue } from '../../sql/compile/sql-condition.ts'
import type { Visibility } from '../../sql/plan/plan-rules.ts'
import type { TableFields } from '../catalogue/table-fields.ts'
import {
  LIMIT,
  type TypeHead,
  type TypeVersions,
  tableOfRow,
  VISIBLE,
} from '../catalogue/type-head.ts'
import type { StatementCache } from '../file/sqlite-session.ts'
import { countIn } from './count-in.ts'
import { findingSql, querySql } from './query-sql.ts'
import { finding, type QueryTables, walking } from './query-tables.ts'

export interface RowSearch {
  readonly table: number
  readonly objectType: ObjectType
  readonly numbers: TableFields
  readonly query: Query
  readonly order: readonly OrderTerm[]
  readonly visibility: Visibility
  /** The values of the visibility's placeholders. */
  readonly visibleValues: readonly number[]
  /** The versions of all types that the query reads. */
  readonly versions: TypeVersions
}

export interface RowSearchOptions {
  readonly cursor: KeysetCursor | undefined
  readonly limit: number
  /** Whether to sort the matches by key, instead of walking the key until enough rows match. */
  readonly sortMatches: boolean
}

/** Returns the ids of the rows after the cursor. */
export function findRows(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  options: RowSearchOptions,
): number[] {
  const { sql, values } = findRowsSql(search, tables, options)
  const rows = statements.prepare(sql).all(...values)
  return (rows as [number][]).map(([id]) => id)
}

export function findRowsSql(
  search: RowSearch,
  tables: QueryTables,
  options: RowSearchOptions,
): SqlCondition {
  const { cursor, limit, sortMatches } = options
  const redundantBounds = redundantBoundsOf(search, cursor)
  const mode = sortMatches ? finding(tables) : walking(tables)
  const condition = querySql(search.query, { ...mode, redundantBounds })
  const columns = search.order.map((term) => orderColumn(term, search.numbers))
  const values: BoundValue[] = []
  const branches = orderBranches(columns, cursor).map((branch) => {
    values.push(...search.visibleValues, ...condition.values, ...branch.values, limit)
    const orderBy = sortMatches ? branch.orderBy.replace('o.pk', HIDDEN_KEY) : branch.orderBy
    // Otherwise SQLite might walk the key index from the cursor on, and read most of the table.
    const after = sortMatches ? `likely(${branch.sql})` : branch.sql
    return `SELECT id FROM (
      SELECT o.id AS id FROM ${objectTable(search.table)} AS o
      WHERE ${VISIBLE[search.visibility]} AND ${condition.sql} AND ${after}
      ORDER BY ${orderBy} ${LIMIT})`
  })
  values.push(limit)
  return { sql: `${branches.join(' UNION ALL ')} ${LIMIT}`, values }
}

/** The plus sign stops SQLite from walking the key index to avoid the sort. */
const HIDDEN_KEY = '+o.pk'

/** Counts the visible rows that match the query. */
export function countVisibleRows(
  statements: StatementCache,
  { table, query, visibility, visibleValues }: RowSearch,
  tables: QueryTables,
): number {
  const { sql, values } = querySql(query, tables)
  const visible = `${objectTable(table)} AS o WHERE ${VISIBLE[visibility]}`
  return countIn(statements, `${visible} AND ${sql}`, [...visibleValues, ...values])
}

/**
 * Counts the current rows that match the query: all rows, minus those that are not current. Without
 * a visibility condition, an index alone can count.
 */
export function countCurrentRows(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
): number {
  const table = objectTable(search.table)
  const { sql, values } = querySql(search.query, tables)
  const all = countIn(statements, `${table} AS o WHERE ${sql}`, values)
  const past = `${table} AS o INDEXED BY ${table}_closed WHERE valid_to < ${NEVER_CLOSED}`
  return all - countIn(statements, `${past} AND ${sql}`, values)
}

/**
 * Counts the row versions that an index finds for the query, up to a limit. It ignores visibility, so
 * that the index alone can count. Returns undefined if no index finds rows.
 */
export function estimateRows(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  limit: number,
): number | undefined {
  const found = findingSql(search.query, finding(tables))
  if (found === undefined) return undefined
  const matching = `(SELECT 1 FROM ${objectTable(search.table)} AS o WHERE ${found.sql} ${LIMIT})`
  return countIn(statements, matching, [...found.values, limit])
}

/** Looks up a cursor's value for each order term; undefined if its row has been deleted. */
export function resolveCursor(
  statements: StatementCache,
  search: RowSearch,
  head: TypeHead,
  { pk, version }: Cursor,
): KeysetCursor | undefined {
  if (search.order.length === 0) return { pk, values: [] }
  const table = tableOfRow(statements, head, version, search.objectType)
  if (table === undefined) return undefined
  const fields = search.numbers.inLayout(table.layout)
  const columns = search.order.map((term) => orderColumn(term, fields).value).join(', ')
  const statement = statements.prepare(
    `SELECT ${columns} FROM ${objectTable(table.table)} AS o WHERE pk = ? AND valid_from = ?`,
  )
  statement.setReadBigInts(true)
  const row = statement.get(pk, version) as (SqlValue | null)[] | undefined
  return row && { pk, values: row }
}

/** A cursor in the order of a range makes the range's near bound redundant. */
function redundantBoundsOf(
  { order, numbers }: RowSearch,
  cursor: KeysetCursor | undefined,
): QueryTables['redundantBounds'] {
  const [first] = order
  if (first === undefined || cursor === undefined || cursor.values[0] === null) return undefined
  return {
    field: numbers.of({ property: first.property, structField: first.structField }),
    operators: first.direction === 'asc' ? ['gt', 'gte'] : ['lt', 'lte'],
  }
}
