/** Searches the tables of PostgreSQL for objects by id. See core/queries/find-types.ts. */
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { findTypes as findIn, type SearchedTable } from '../../core/queries/find-types.ts'
import { awaited, runAwaited } from '../../core/session/session.ts'
import type { FindTypesRequest } from '../../object-store.ts'
import { combine, type SqlCondition } from '../../sql/compile/sql-condition.ts'
import { objectIdsSql } from '../catalogue/object-id-index.ts'
import type { Session } from '../driver/database.ts'
import { visibleSql } from './queried-types.ts'

export async function findTypes(session: Session, request: FindTypesRequest): Promise<string[]> {
  const searcher = {
    readTables: (typeRids: readonly string[]) => awaited(readTables(session, typeRids)),
    readIds: ({ sql, values }: SqlCondition) => awaited(session.query(sql, values)),
  }
  return (await runAwaited(findIn(searcher, request))) ?? []
}

async function readTables(session: Session, typeRids: readonly string[]): Promise<SearchedTable[]> {
  const rows = await session.query(
    `SELECT t.rid, o.id, o.live_count
     FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
     WHERE t.rid = ANY(?::text[]) AND o.is_created AND o.live_count > 0`,
    [typeRids],
  )
  return rows.map(([rid, id, count]) => {
    const select = ({ sql, values }: SqlCondition) => ({
      sql: `SELECT object_id FROM ${objectTable(Number(id))} AS o WHERE ${sql}`,
      values,
    })
    const isCurrent = visibleSql('current', 0)
    return {
      typeRid: String(rid),
      rows: Number(count),
      allIds: select(isCurrent),
      listedIds: (ids) => select(combine('and', [objectIdsSql(ids), isCurrent])),
      idOfKey: (pk) => select(combine('and', [{ sql: 'o.pk = ?', values: [pk] }, isCurrent])),
    }
  })
}
