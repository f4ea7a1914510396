import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from './connection.ts'
import { forgetRows, OPEN, objectTable } from './object-table.ts'

/** Rows deleted in one transaction, so that writers never wait long. */
const ROWS_AT_ONCE = 5000

/**
 * Deletes row versions that no snapshot taken since the given time can need. The version that was
 * current at that time is the oldest one needed; it is noted first, so that a reader with an older
 * snapshot is refused before the first of its rows is gone.
 *
 * Does one bounded step and gives the number of rows deleted; zero when there is nothing left.
 */
export function reclaimStep(db: DatabaseSync, sinceMs: number): number {
  const types = db.prepare('SELECT id, oldest FROM object_type').all()
  for (const { id, oldest } of types as unknown as { id: number; oldest: number }[]) {
    const needed = oldestNeeded(db, id, sinceMs)
    if (needed > oldest) forgetVersionsBefore(db, id, needed)
    const deleted = deleteRows(db, id, Math.max(needed, oldest))
    if (deleted > 0) return deleted
  }
  return 0
}

function oldestNeeded(db: DatabaseSync, id: number, sinceMs: number): number {
  const row = db
    .prepare(
      'SELECT max(version) AS version FROM commit_log WHERE object_type_id = ? AND committed_at_ms <= ?',
    )
    .get(id, sinceMs)
  return Number(row?.['version'] ?? 0)
}

function forgetVersionsBefore(db: DatabaseSync, id: number, version: number): void {
  inTransaction(db, 'write', () => {
    db.prepare('UPDATE object_type SET oldest = ? WHERE id = ? AND oldest < ?').run(
      version,
      id,
      version,
    )
    db.prepare('DELETE FROM commit_log WHERE object_type_id = ? AND version < ?').run(id, version)
  })
}

function deleteRows(db: DatabaseSync, id: number, oldest: number): number {
  const table = objectTable(id)
  return inTransaction(db, 'write', () => {
    const rows = db
      .prepare(
        `SELECT id FROM ${table} WHERE valid_to < ${OPEN} AND valid_to <= ? LIMIT ${ROWS_AT_ONCE}`,
      )
      .all(oldest)
      .map((row) => Number(row['id']))
    const list = JSON.stringify(rows)
    forgetRows(db, 'SELECT value FROM json_each(?)', list)
    db.prepare(`DELETE FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`).run(list)
    return rows.length
  })
}
