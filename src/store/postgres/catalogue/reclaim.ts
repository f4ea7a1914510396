/** Deletes row versions and tables that no reader can need any more. */

import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { Retention } from '../../object-store.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { type PostgresContext, recoverPending } from '../citus/pending-commit.ts'
import type { Database, WriteSession } from '../driver/database.ts'
import { isLockTimeout } from '../driver/store-failure.ts'
import { deleteSightings, saveSightings } from './sightings.ts'

/** The number of rows to delete per transaction. */
const ROWS_AT_ONCE = 5000

/** The advisory lock of reclaim: an arbitrary number that nothing else uses. */
const RECLAIM_LOCK = 7_067_328_002

/**
 * Deletes row versions that were superseded, and replacements that were idle, for long enough. Saves
 * the oldest version that is still needed first, so that a reader with an older snapshot is refused
 * before the first of its rows is gone.
 *
 * Returns the number of deleted rows; 0 if another node is reclaiming.
 */
export async function reclaim(store: PostgresContext, retention: Retention): Promise<number> {
  const { database } = store
  // A node that crashed may have left a commit that is not published yet.
  await recoverPending(store)
  const nowMs = await database.write(async (session) =>
    (await tryReclaimLock(session)) ? saveSightings(session, retention.now) : undefined,
  )
  if (nowMs === undefined) return 0
  await saveOldestVersions(database, nowMs - retention.rowVersionsMs)
  let total = 0
  for (const { typeId, table, oldest } of await readOldestVersions(database)) {
    while (table !== undefined) {
      const deleted = await deleteRows(database, table, oldest)
      total += deleted
      if (deleted === 0) break
    }
    await abandonReplacedTables(database, typeId, oldest)
  }
  await abandonIdleReplacements(database, nowMs - retention.idleReplacementsMs)
  return total + (await dropAbandonedTables(database))
}

/** Saves for each type the oldest version that can be read from now on. */
async function saveOldestVersions(database: Database, sinceMs: number): Promise<void> {
  const needed = await database.query(
    `SELECT t.id, max(s.version) FROM oqs_object_type AS t
     JOIN oqs_version_time AS s ON s.object_type_id = t.id
     WHERE s.seen_at_ms <= ? AND s.version > t.oldest GROUP BY t.id ORDER BY t.id`,
    [sinceMs],
  )
  for (const [typeId, version] of needed) {
    await saveOldestVersion(database, Number(typeId), Number(version)).catch(ignoreLockTimeout)
  }
  await database.write(async (session) => {
    await session.run(
      `DELETE FROM oqs_commit_log AS l USING oqs_object_type AS t
       WHERE l.object_type_id = t.id AND l.version < t.oldest`,
    )
    await deleteSightings(session)
  })
}

/**
 * Waits for the lock like any writer of the type: while one batch follows the other, the row of the
 * type is never unlocked.
 */
async function saveOldestVersion(
  database: Database,
  typeId: number,
  version: number,
): Promise<void> {
  await database.write((session) =>
    session.run('UPDATE oqs_object_type SET oldest = ? WHERE id = ? AND oldest < ?', [
      version,
      typeId,
      version,
    ]),
  )
}

/** Leaves a type with a long-running writer to the next run. */
function ignoreLockTimeout(error: unknown): void {
  if (!isLockTimeout(error)) throw error
}

interface OldestVersion {
  readonly typeId: number
  /** Undefined if nothing was ever written. */
  readonly table: number | undefined
  readonly oldest: number
}

async function readOldestVersions(database: Database): Promise<readonly OldestVersion[]> {
  const rows = await database.query(
    `SELECT t.id, t.oldest, o.id FROM oqs_object_type AS t
     LEFT JOIN oqs_object_table AS o ON o.id = t.table_id AND o.is_created
     WHERE t.oldest > 0 ORDER BY t.id`,
  )
  return rows.map(([typeId, oldest, table]) => ({
    typeId: Number(typeId),
    oldest: Number(oldest),
    table: table === null ? undefined : Number(table),
  }))
}

/** Returns true if no other node is reclaiming. Holds the lock until the transaction ends. */
async function tryReclaimLock(session: WriteSession): Promise<boolean> {
  const [row] = await session.query('SELECT pg_try_advisory_xact_lock(?)', [RECLAIM_LOCK])
  return row?.[0] === true
}

async function deleteRows(database: Database, table: number, oldest: number): Promise<number> {
  const name = objectTable(table)
  const expired = `valid_to < ${NEVER_CLOSED} AND valid_to <= ?`
  return database.write(async (session) => {
    if (!(await tryReclaimLock(session))) return 0
    const rows = await session.query(
      `SELECT pk FROM ${name} WHERE ${expired} ORDER BY valid_to LIMIT ${ROWS_AT_ONCE}`,
      [oldest],
    )
    if (rows.length === 0) return 0
    return session.run(`DELETE FROM ${name} WHERE ${expired} AND pk = ANY(?::text[])`, [
      oldest,
      rows.map(([pk]) => pk),
    ])
  })
}

/** Abandons replaced tables once the first version of the next table is the oldest needed. */
function abandonReplacedTables(
  database: Database,
  typeId: number,
  oldest: number,
): Promise<number> {
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

function abandonIdleReplacements(database: Database, sinceMs: number): Promise<number> {
  return database.write((session) =>
    // A locked replacement is in use.
    session.run(
      `UPDATE oqs_object_table SET state = 'abandoned' WHERE id IN (
         SELECT id FROM oqs_object_table
         WHERE state = 'loading' AND idle_since_ms <= ? FOR UPDATE SKIP LOCKED)`,
      [sinceMs],
    ),
  )
}

/** Drops abandoned tables, and returns the number of objects that they held. */
async function dropAbandonedTables(database: Database): Promise<number> {
  const rows = await database.query(
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
    // Another node has dropped it already.
    if (row === undefined) return 0
    await session.query(`DROP TABLE IF EXISTS ${objectTable(table)}`)
    return Number(row[0])
  })
}
