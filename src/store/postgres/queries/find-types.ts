/** Finds the object types of objects that are named by id alone. */

import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { FindTypesRequest } from '../../object-store.ts'
import { inSearchOrder, type SearchedTable, TypeSearch } from '../../sql/compile/type-search.ts'
import { objectIdsSql } from '../catalogue/object-id-index.ts'
import type { Session } from '../driver/database.ts'
import { visibleSql } from './visible-rows.ts'

/** Tables and rows of one statement: a few milliseconds of either side. */
const MAX_TABLES = 100
const MAX_ROWS = 5000

export async function findTypes(session: Session, request: FindTypesRequest): Promise<string[]> {
  const search = new TypeSearch(request)
  const waiting = await readTables(session, request)
  while (!search.isDone && waiting.length > 0) {
    const tables = nextTables(waiting, search)
    for (const [index, id] of await readIds(session, tables, search)) {
      const table = tables[Number(index)]
      if (table !== undefined) search.add(table.typeRid, String(id))
    }
  }
  return search.typeRids
}

/** The last table comes first. */
async function readTables(
  session: Session,
  { typeRids }: FindTypesRequest,
): Promise<SearchedTable[]> {
  const rows = await session.query(
    `SELECT t.rid, o.id, o.live_count
     FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
     WHERE t.rid = ANY(?::text[]) AND o.is_created AND o.live_count > 0`,
    [typeRids],
  )
  return inSearchOrder(
    rows.map(([rid, id, count]) => ({
      typeRid: String(rid),
      table: Number(id),
      rows: Number(count),
    })),
  ).reverse()
}

/** Takes one table that is searched by id, or some small ones that are read as a whole. */
function nextTables(waiting: SearchedTable[], search: TypeSearch): SearchedTable[] {
  const tables: SearchedTable[] = []
  let rows = 0
  for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
    rows += next.rows
    if (tables.length > 0 && (tables.length >= MAX_TABLES || rows > MAX_ROWS)) break
    waiting.pop()
    tables.push(next)
    if (!search.readsAllOf(next)) break
  }
  return tables
}

/** Returns the ids of objects, each with the index of its table. */
function readIds(session: Session, tables: readonly SearchedTable[], search: TypeSearch) {
  const { sql: isCurrent } = visibleSql('current', 0)
  const [first] = tables
  if (first !== undefined && !search.readsAllOf(first)) {
    const { sql: isSearched, values } = objectIdsSql([...search.ids])
    return session.query(
      `SELECT 0, o.object_id FROM ${objectTable(first.table)} AS o
       WHERE ${isSearched} AND ${isCurrent}`,
      values,
    )
  }
  const parts = tables.map(
    ({ table }, index) =>
      `SELECT ${index}, o.object_id FROM ${objectTable(table)} AS o WHERE ${isCurrent}`,
  )
  return session.query(parts.join(' UNION ALL '))
}
