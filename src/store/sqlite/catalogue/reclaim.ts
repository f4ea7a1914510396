/** Deletes row versions and tables that no reader can need any more. */
import type { DatabaseSync } from 'node:sqlite'
import { OPEN } from '../../sql/new-table.ts'
import { inTransaction } from '../file/connection.ts'
import { ROWS_AT_ONCE } from './delete-some.ts'
import { removeFromIndexes } from './object-table.ts'
import { oldestNeeded } from './sightings.ts'
import { objectTable } from './table-name.ts'

/** What was superseded or idle at these times is deleted. */
export interface ReclaimTimes {
  readonly rowVersionsSinceMs: number
  readonly replacementsSinceMs: number
}

/**
 * Deletes row versions that were superseded, and replacements that were idle, at the given times.
 * Saves the oldest version that is still needed first, so that a reader with an older snapshot is
 * refused before the first of its rows is gone.
 *
 * Runs one bounded step and returns the number of deleted rows; 0 if nothing is left to delete.
 */
export function reclaimStep(db: DatabaseSync, times: ReclaimTimes): number {
  const types = db.prepare(TYPES_SQL).all()
  for (const row of types as unknown as TypeRow[]) {
    const needed = Math.max(oldestNeeded(db, row.id, times.rowVersionsSinceMs), row.oldest)
    if (needed > row.oldest) expireVersionsBefore(db, row.id, needed)
    abandonReplacedTables(db, row, needed)
    const deleted = row.is_made === 1 ? deleteRows(db, row.table_id, needed) : 0
    if (deleted > 0) return deleted
  }
  abandonIdleReplacements(db, times.replacementsSinceMs)
  return removeAbandonedTables(db)
}

const TYPES_SQL = `SELECT t.id, t.oldest, t.table_id, o.is_made
  FROM object_type AS t JOIN object_table AS o ON o.id = t.table_id`

interface TypeRow {
  readonly id: number
  readonly oldest: number
  readonly table_id: number
  readonly is_made: number
}

function expireVersionsBefore(db: DatabaseSync, typeId: number, version: number): void {
  inTransaction(db, 'write', () => {
    db.prepare('UPDATE object_type SET oldest = ? WHERE id = ? AND oldest < ?').run(
      version,
      typeId,
      version,
    )
    for (const table of ['commit_log', 'version_sighting']) {
      db.prepare(`DELETE FROM ${table} WHERE object_type_id = ? AND version < ?`).run(
        typeId,
        version,
      )
    }
  })
}

/** Abandons replaced tables once the first version of the next table is the oldest needed. */
function abandonReplacedTables(db: DatabaseSync, { id, table_id }: TypeRow, oldest: number): void {
  db.prepare(
    `UPDATE object_table AS past SET state = 'abandoned'
     WHERE object_type_id = ?1 AND state = 'published' AND id <> ?2 AND EXISTS (
       SELECT 1 FROM object_table AS next
       WHERE next.object_type_id = ?1 AND next.state = 'published'
         AND next.first_version > past.first_version AND next.first_version <= ?3
     )`,
  ).run(id, table_id, oldest)
}

function abandonIdleReplacements(db: DatabaseSync, sinceMs: number): void {
  db.prepare(
    `UPDATE object_table SET state = 'abandoned' WHERE state = 'loading' AND idle_since_ms <= ?`,
  ).run(sinceMs)
}

function deleteRows(db: DatabaseSync, table: number, oldest: number): number {
  const name = objectTable(table)
  return inTransaction(db, 'write', () => {
    const rows = db
      .prepare(
        `SELECT id FROM ${name} WHERE valid_to < ${OPEN} AND valid_to <= ? LIMIT ${ROWS_AT_ONCE}`,
      )
      .all(oldest)
      .map((row) => Number(row['id']))
    if (rows.length === 0) return 0
    removeFromIndexes(db, rows)
    db.prepare(`DELETE FROM ${name} WHERE id IN (SELECT value FROM json_each(?))`).run(
      JSON.stringify(rows),
    )
    db.prepare('UPDATE object_table SET past_count = past_count - ? WHERE id = ?').run(
      rows.length,
      table,
    )
    return rows.length
  })
}

/** Removes the rows of one table from the shared indexes, step by step, then drops it. */
function removeAbandonedTables(db: DatabaseSync): number {
  // A table that was never created exists only in the catalogue.
  db.prepare(`DELETE FROM object_table WHERE state = 'abandoned' AND is_made = 0`).run()
  const abandoned = db
    .prepare(`SELECT id, forgotten_row FROM object_table WHERE state = 'abandoned'`)
    .all()
  for (const row of abandoned) {
    const removed = removeTable(db, Number(row['id']), Number(row['forgotten_row']))
    if (removed > 0) return removed
  }
  return 0
}

function removeTable(db: DatabaseSync, table: number, lastRemovedRow: number): number {
  const name = objectTable(table)
  return inTransaction(db, 'write', () => {
    const rows = db
      .prepare(`SELECT id FROM ${name} WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`)
      .all(lastRemovedRow)
      .map((row) => Number(row['id']))
    const last = rows.at(-1)
    if (last === undefined) {
      db.exec(`DROP TABLE ${name}`)
      db.prepare('DELETE FROM object_table WHERE id = ?').run(table)
    } else {
      removeFromIndexes(db, rows)
      db.prepare('UPDATE object_table SET forgotten_row = ? WHERE id = ?').run(last, table)
    }
    return rows.length
  })
}
