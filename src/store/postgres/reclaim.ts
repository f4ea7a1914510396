import { OPEN } from '../sql/new-table.ts'
import type { Database, WriteSession } from './database.ts'
import { objectTable } from './object-table.ts'
import { recoverPending, type Writable } from './pending-commit.ts'

/** Rows deleted in one transaction. */
const ROWS_AT_ONCE = 5000

/** The name of the lock of the node that reclaims; any number that nobody else uses. */
const RECLAIM_LOCK = 7_067_328_002

/**
 * Deletes row versions that no snapshot taken since the given time can need. The version that was
 * current at that time is the oldest one needed; it is noted first, so that a reader with an older
 * snapshot is refused before the first of its rows is gone. Replacements that were not added to
 * since that time go as well.
 *
 * Gives the number of rows deleted. Where another node is at it, there is nothing to do.
 */
export async function reclaim(store: Writable, sinceMs: number): Promise<number> {
  const { database } = store
  // A node that is gone may have left a commit that nobody sees before somebody publishes it.
  await recoverPending(store)
  let total = 0
  for (const { typeId, table, oldest } of await noteOldest(database, sinceMs)) {
    while (table !== undefined) {
      const deleted = await deleteRows(database, table, oldest)
      total += deleted
      if (deleted === 0) break
    }
    await abandonPastTables(database, typeId, oldest)
  }
  return total + (await dropAbandonedTables(database, sinceMs))
}

interface OldestVersion {
  readonly typeId: number
  /** Undefined where nothing was ever written. */
  readonly table: number | undefined
  readonly oldest: number
}

/** Notes for each type which versions are forgotten from now on. */
function noteOldest(database: Database, sinceMs: number): Promise<readonly OldestVersion[]> {
  return database.write(async (session) => {
    if (!(await isAlone(session))) return []
    await session.run(
      `UPDATE oqs_object_type AS t SET oldest = needed.version
       FROM (
         SELECT object_type_id, max(version) AS version FROM oqs_commit_log
         WHERE committed_at_ms <= ? GROUP BY object_type_id
       ) AS needed
       WHERE needed.object_type_id = t.id AND needed.version > t.oldest
         -- A type that is being written waits for the next time, and nobody for it.
         AND t.id IN (SELECT id FROM oqs_object_type FOR NO KEY UPDATE SKIP LOCKED)`,
      [sinceMs],
    )
    await session.run(
      `DELETE FROM oqs_commit_log AS l USING oqs_object_type AS t
       WHERE l.object_type_id = t.id AND l.version < t.oldest`,
    )
    const rows = await session.query(
      `SELECT t.id, t.oldest, o.id FROM oqs_object_type AS t
       LEFT JOIN oqs_object_table AS o ON o.id = t.table_id AND o.is_made
       WHERE t.oldest > 0 ORDER BY t.id`,
    )
    return rows.map(([typeId, oldest, table]) => ({
      typeId: Number(typeId),
      oldest: Number(oldest),
      table: table === null ? undefined : Number(table),
    }))
  })
}

/** Reclaiming runs on one node at a time: several would only be in each other's way. */
async function isAlone(session: WriteSession): Promise<boolean> {
  const [row] = await session.query('SELECT pg_try_advisory_xact_lock(?)', [RECLAIM_LOCK])
  return row?.[0] === true
}

async function deleteRows(database: Database, table: number, oldest: number): Promise<number> {
  const name = objectTable(table)
  const gone = `valid_to < ${OPEN} AND valid_to <= ?`
  return database.write(async (session) => {
    if (!(await isAlone(session))) return 0
    const rows = await session.query(
      `SELECT pk FROM ${name} WHERE ${gone} ORDER BY valid_to LIMIT ${ROWS_AT_ONCE}`,
      [oldest],
    )
    if (rows.length === 0) return 0
    return session.run(`DELETE FROM ${name} WHERE ${gone} AND pk = ANY(?::text[])`, [
      oldest,
      rows.map(([pk]) => pk),
    ])
  })
}

/** A table that was replaced is needed until the first version of the next one is old enough. */
function abandonPastTables(database: Database, typeId: number, oldest: number): Promise<number> {
  return database.write((session) =>
    session.run(
      `UPDATE oqs_object_table AS past SET state = 'abandoned'
       FROM oqs_object_type AS t
       WHERE t.id = ? AND past.object_type_id = t.id AND past.state = 'published'
         AND past.id <> t.table_id AND EXISTS (
           SELECT 1 FROM oqs_object_table AS next
           WHERE next.object_type_id = t.id AND next.state = 'published'
             AND next.first_version > past.first_version AND next.first_version <= ?
         )`,
      [typeId, oldest],
    ),
  )
}

/** Drops what nobody can read any more; gives how many objects that were. */
async function dropAbandonedTables(database: Database, sinceMs: number): Promise<number> {
  await database.write((session) =>
    session.run(
      `UPDATE oqs_object_table SET state = 'abandoned'
       WHERE state = 'loading' AND touched_at_ms <= ?`,
      [sinceMs],
    ),
  )
  const rows = await database.one(
    `SELECT id FROM oqs_object_table WHERE state = 'abandoned' ORDER BY id`,
  )
  let total = 0
  for (const [id] of rows) total += await dropTable(database, Number(id))
  return total
}

function dropTable(database: Database, table: number): Promise<number> {
  return database.write(async (session) => {
    const [row] = await session.query(
      `DELETE FROM oqs_object_table WHERE id = ? AND state = 'abandoned' RETURNING live_count`,
      [table],
    )
    // Another node was faster.
    if (row === undefined) return 0
    await session.query(`DROP TABLE IF EXISTS ${objectTable(table)}`)
    return Number(row[0])
  })
}
