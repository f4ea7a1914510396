/** Deletes rows and tables that no reader can need any more, a transaction at a time. */

import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import type { ReclaimSteps } from '../../core/maintenance/reclaim.ts'
import { type PostgresContext, recoverPending } from '../citus/pending-commit.ts'
import type { Database, WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'

/** The number of rows to delete per transaction. */
const ROWS_AT_ONCE = 5000

export function reclaimSteps(store: PostgresContext): ReclaimSteps {
  const { database } = store
  return {
    // A node that crashed may have left a commit that is not published yet.
    finishWrites: () => recoverPending(store),
    deleteClosedRows: (table, closedBy) => deleteRows(database, table, closedBy),
    removeAbandoned: () => database.write(removeAbandoned),
  }
}

async function deleteRows(
  database: Database,
  table: number,
  closedBy: number,
): Promise<number | undefined> {
  const name = objectTable(table)
  const expired = `valid_to < ${NEVER_CLOSED} AND valid_to <= ?`
  return database.write(async (session) => {
    const isAlone = await runIn(session, (core) => core.tryLock('reclaim'))
    if (!isAlone) return undefined
    const rows = await session.query(
      `SELECT pk FROM ${name} WHERE ${expired} ORDER BY valid_to LIMIT ${ROWS_AT_ONCE}`,
      [closedBy],
    )
    if (rows.length === 0) return undefined
    const deleted = await session.run(
      `DELETE FROM ${name} WHERE ${expired} AND pk = ANY(?::text[])`,
      [closedBy, rows.map(([pk]) => pk)],
    )
    await session.run('UPDATE oqs_object_table SET closed_count = closed_count - ? WHERE id = ?', [
      deleted,
      table,
    ])
    return deleted
  })
}

/** Drops an abandoned table, and returns the number of objects that it held. */
async function removeAbandoned(session: WriteSession): Promise<number | undefined> {
  const [row] = await session.query(
    `DELETE FROM oqs_object_table WHERE id = (
       SELECT min(id) FROM oqs_object_table WHERE state = 'abandoned') RETURNING id, live_count`,
  )
  // There is none, or another node drops it and then the others.
  if (row === undefined) return undefined
  const [id, liveCount] = row.map(Number)
  await session.query(`DROP TABLE IF EXISTS ${objectTable(id ?? 0)}`)
  return liveCount
}
