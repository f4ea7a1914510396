/** Finds the object types of objects that are named by id alone. */

import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { FindTypesRequest } from '../../object-store.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import {
  inSearchOrder,
  type SearchedTable,
  searchSteps,
  TypeSearch,
} from '../../sql/compile/type-search.ts'
import {
  LAYOUT_COLUMNS,
  type LayoutRow,
  selectByObjectId,
  type TableLayout,
  toTableLayout,
} from '../catalogue/table-layout.ts'
import { inReadTransaction, type ReadConnection } from './read-connection.ts'
import { VISIBLE, visibilityValues } from './visible-rows.ts'

/** Rows and tables that the main thread searches: about a millisecond. */
const MAX_QUICK_STEPS = 500
const MAX_QUICK_TABLES = 20

interface LaidOutTable extends SearchedTable {
  readonly layout: TableLayout
  /** Selects the objects of the latest version. */
  readonly visible: SqlCondition
}

/** Finds types, however long it takes. For reader processes. */
export function findTypes(connection: ReadConnection, request: FindTypesRequest): string[] {
  return inReadTransaction(connection, () =>
    searchTables(connection, request, readTables(connection, request)),
  )
}

/** Finds types on the main thread; undefined if a reader process must search. */
export function findTypesQuickly(
  connection: ReadConnection,
  request: FindTypesRequest,
): string[] | undefined {
  const { ids, typeRids } = request
  if (ids.length > MAX_QUICK_STEPS || typeRids.length > MAX_QUICK_TABLES) return undefined
  return inReadTransaction(connection, () => {
    const tables = readTables(connection, request)
    if (searchSteps(tables, ids.length) > MAX_QUICK_STEPS) return undefined
    return searchTables(connection, request, tables)
  })
}

function readTables(
  { statements }: ReadConnection,
  { typeRids }: FindTypesRequest,
): LaidOutTable[] {
  const rows = statements
    .prepare(
      `SELECT t.rid, o.id, o.live_count + o.closed_count, t.published,
         EXISTS (SELECT 1 FROM oqs_staged_write WHERE table_id = o.id), ${LAYOUT_COLUMNS}
       FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
       WHERE t.rid IN (SELECT value FROM json_each(?)) AND o.is_created AND o.live_count > 0`,
    )
    .all(JSON.stringify(typeRids)) as TableRow[]
  return inSearchOrder(
    rows.map(([typeRid, table, count, version, isStaged, ...layout]) => {
      const visibility = isStaged === 1 ? 'version' : 'current'
      return {
        typeRid,
        table,
        rows: count,
        layout: toTableLayout(layout),
        visible: { sql: VISIBLE[visibility], values: visibilityValues(visibility, version) },
      }
    }),
  )
}

type TableRow = readonly [
  typeRid: string,
  table: number,
  rows: number,
  published: number,
  isStaged: number,
  ...layout: LayoutRow,
]

function searchTables(
  { db }: ReadConnection,
  request: FindTypesRequest,
  tables: readonly LaidOutTable[],
): string[] {
  const search = new TypeSearch(request)
  let list = JSON.stringify(request.ids)
  // Not from the cache of statements: one search would evict all others.
  const select = (sql: string, values: SqlCondition['values']) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return statement.iterate(...values) as Iterable<[string]>
  }
  for (const table of tables) {
    if (search.isDone) break
    const before = search.ids.size
    const name = objectTable(table.table)
    const { sql, values } = search.readsAllOf(table)
      ? { ...table.visible, sql: `SELECT object_id FROM ${name} AS o WHERE ${table.visible.sql}` }
      : currentById({ ...table, table: name }, list)
    const rows = select(sql, values)
    for (const [id] of rows) search.add(table.typeRid, id)
    if (search.ids.size < before) list = JSON.stringify([...search.ids])
  }
  return search.typeRids
}

function currentById(
  { table, layout, visible }: Pick<LaidOutTable, 'layout' | 'visible'> & { readonly table: string },
  list: string,
) {
  const columns = ['object_id', 'valid_from', 'valid_to']
  const { sql, values } = selectByObjectId({ table, layout, columns, list })
  return {
    sql: `SELECT object_id FROM (${sql}) WHERE +${visible.sql}`,
    values: [...values, ...visible.values],
  }
}
