import { STORED_BYTES } from '../../sql/compile/record-sql.ts'
import { objectTable } from '../catalogue/object-tables.ts'
import { integer } from '../session/columns.ts'
import type { Operation } from '../session/operation.ts'
import type { CoreSession } from '../session/session.ts'

/** Rewrites the titles of a table, which are stored beside the body, for a new title property. */
export function* rewriteTitles(
  session: CoreSession,
  id: number,
  property: string | undefined,
): Operation<void> {
  const table = objectTable(id)
  if (property === undefined) {
    yield* session.run(`UPDATE ${table} SET title = NULL WHERE title IS NOT NULL`, [])
    return
  }
  // The JSON text of the value; numbers get quotes.
  yield* session.run(
    `UPDATE ${table} SET title = (
       SELECT CASE WHEN value LIKE '"%' THEN value ELSE '"' || value || '"' END
       FROM (SELECT ${session.dialect.memberJson('body')} AS value) AS titled
     )`,
    [property],
  )
  const row = yield* session.find(
    `SELECT coalesce(max(${STORED_BYTES}), 0) FROM ${table} AS o`,
    [],
    { maxRecordBytes: integer },
  )
  yield* session.run('UPDATE oqs_object_table SET max_record_bytes = ? WHERE id = ?', [
    row?.maxRecordBytes ?? 0,
    id,
  ])
}
