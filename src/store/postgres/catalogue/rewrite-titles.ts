import { STORED_BYTES } from '../../sql/record-sql.ts'
import type { WriteSession } from '../driver/database.ts'
import { objectTable } from './object-table.ts'

/** Rewrites the titles of a table, which are stored beside the body, for a new title property. */
export async function rewriteTitles(
  session: WriteSession,
  id: number,
  property: string | undefined,
): Promise<void> {
  const table = objectTable(id)
  if (property === undefined) {
    await session.run(`UPDATE ${table} SET title = NULL WHERE title IS NOT NULL`)
    return
  }
  // The JSON text of the value; numbers get quotes.
  const value = '(body::json -> ?)::text'
  await session.run(
    `UPDATE ${table} SET title = CASE
       WHEN left(${value}, 1) = '"' THEN ${value} ELSE '"' || ${value} || '"' END`,
    [property, property, property],
  )
  const [row] = await session.query(`SELECT coalesce(max(${STORED_BYTES}), 0) FROM ${table} AS o`)
  await session.run('UPDATE oqs_object_table SET max_record_bytes = ? WHERE id = ?', [
    Number(row?.[0]),
    id,
  ])
}
