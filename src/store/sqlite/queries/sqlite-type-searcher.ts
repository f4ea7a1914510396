/** Searches the tables of SQLite for objects by id. See core/queries/find-types.ts. */
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { findTypes as findIn, type SearchedTable } from '../../core/queries/find-types.ts'
import { runNow, settled } from '../../core/session/session.ts'
import type { FindTypesRequest } from '../../object-store.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import {
  LAYOUT_COLUMNS,
  type LayoutRow,
  selectByObjectId,
  toTableLayout,
} from '../catalogue/table-layout.ts'
import { VISIBLE, visibilityValues } from '../catalogue/type-head.ts'
import { inReadTransaction, type ReadConnection } from './read-connection.ts'

/** Rows and tables that the main thread searches: about a millisecond. */
const MAX_QUICK_ROWS = 500
const MAX_QUICK_TABLES = 20

/** Finds types, however long it takes. For reader processes. */
export function findTypes(connection: ReadConnection, request: FindTypesRequest): string[] {
  return search(connection, request) ?? []
}

/** Finds types on the main thread; undefined if a reader process must search. */
export function findTypesQuickly(
  connection: ReadConnection,
  request: FindTypesRequest,
): string[] | undefined {
  const { length } = 'keys' in request ? request.keys : request.typeRids
  if (length > MAX_QUICK_TABLES) return undefined
  if ('ids' in request && request.ids.length > MAX_QUICK_ROWS) return undefined
  return search(connection, request, MAX_QUICK_ROWS)
}

function search(connection: ReadConnection, request: FindTypesRequest, maxRows?: number) {
  const searcher = {
    readTables: (typeRids: readonly string[]) => settled(readTables(connection, typeRids)),
    readIds: ({ sql, values }: SqlCondition) =>
      settled(connection.statements.prepareOnce(sql).iterate(...values)),
  }
  return inReadTransaction(connection, () => runNow(findIn(searcher, request, maxRows)))
}

function readTables({ statements }: ReadConnection, typeRids: readonly string[]): SearchedTable[] {
  const rows = statements
    .prepare(
      `SELECT t.rid, o.id, o.live_count + o.closed_count, t.published,
         EXISTS (SELECT 1 FROM oqs_staged_write WHERE table_id = o.id), ${LAYOUT_COLUMNS}
       FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
       WHERE t.rid IN (SELECT value FROM json_each(?)) AND o.is_created AND o.live_count > 0`,
    )
    .all(JSON.stringify(typeRids)) as TableRow[]
  return rows.map(([typeRid, id, count, version, isStaged, ...layoutRow]) => {
    const [table, layout] = [objectTable(id), toTableLayout(layoutRow)]
    // While a write is unfinished, current rows are not those of the latest version.
    const visibility = isStaged === 1 ? 'version' : 'current'
    const visible = { sql: VISIBLE[visibility], values: visibilityValues(visibility, version) }
    return {
      typeRid,
      rows: count,
      allIds: { ...visible, sql: `SELECT object_id FROM ${table} WHERE ${visible.sql}` },
      idOfKey: (pk) => ({
        sql: `SELECT object_id FROM ${table} WHERE ${visible.sql} AND pk = ?`,
        values: [...visible.values, pk],
      }),
      listedIds: (ids) => {
        const columns = ['object_id', 'valid_from', 'valid_to']
        const list = JSON.stringify(ids)
        const { sql, values } = selectByObjectId({ table, layout, columns, list })
        // The plus sign stops SQLite from using the index of current rows.
        const found = `SELECT object_id FROM (${sql}) WHERE +${visible.sql}`
        return { sql: found, values: [...values, ...visible.values] }
      },
    }
  })
}

type TableRow = readonly [
  typeRid: string,
  id: number,
  rows: number,
  published: number,
  isStaged: number,
  ...layout: LayoutRow,
]
