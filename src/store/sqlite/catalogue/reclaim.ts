/** Deletes row versions and tables that no reader can need any more. */
import type { DatabaseSync } from 'node:sqlite'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { inTransaction } from '../file/connection.ts'
import { startSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { removeElements } from '../staged/remove-row.ts'
import { ROWS_AT_ONCE } from './delete-some.ts'
import { removeFromIndexes } from './object-table.ts'
import { oldestNeeded } from './sightings.ts'
import { indexNames } from './table-indexes.ts'

/** What was superseded or idle at these times is deleted. */
export interface ReclaimTimes {
  readonly rowVersionsSinceMs: number
  readonly replacementsSinceMs: number
}

export interface Reclaimed {
  /** The number of rows that were deleted. */
  readonly rows: number
}

/**
 * Deletes row versions that were superseded, and replacements that were idle, at the given times.
 * Saves the oldest version that is still needed first, so that a reader with an older snapshot is
 * refused before the first of its rows is gone.
 *
 * Runs one short step, and returns undefined if nothing is left to delete.
 */
export function reclaimStep(db: WriterDatabase, times: ReclaimTimes): Reclaimed | undefined {
  const types = db.prepare(TYPES_SQL).all()
  for (const row of types as unknown as TypeRow[]) {
    const needed = Math.max(oldestNeeded(db, row.id, times.rowVersionsSinceMs), row.oldest)
    if (needed > row.oldest) expireVersionsBefore(db, row.id, needed)
    abandonReplacedTables(db, row, needed)
    const rows = row.is_created === 1 ? deleteRows(db, row.table_id, needed) : undefined
    if (rows !== undefined) return { rows }
  }
  abandonIdleReplacements(db, times.replacementsSinceMs)
  return removeAbandonedTables(db)
}

const TYPES_SQL = `SELECT t.id, t.oldest, t.table_id, o.is_created
  FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id`

interface TypeRow {
  readonly id: number
  readonly oldest: number
  readonly table_id: number
  readonly is_created: number
}

function expireVersionsBefore(db: DatabaseSync, typeId: number, version: number): void {
  inTransaction(db, 'write', () => {
    db.prepare('UPDATE oqs_object_type SET oldest = ? WHERE id = ? AND oldest < ?').run(
      version,
      typeId,
      version,
    )
    for (const table of ['oqs_commit_log', 'oqs_version_time']) {
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
    `UPDATE oqs_object_table AS past SET state = 'abandoned'
     WHERE object_type_id = ?1 AND state = 'published' AND id <> ?2 AND EXISTS (
       SELECT 1 FROM oqs_object_table AS next
       WHERE next.object_type_id = ?1 AND next.state = 'published'
         AND next.first_version > past.first_version AND next.first_version <= ?3
     )`,
  ).run(id, table_id, oldest)
}

function abandonIdleReplacements(db: DatabaseSync, sinceMs: number): void {
  db.prepare(
    `UPDATE oqs_object_table SET state = 'abandoned' WHERE state = 'loading' AND idle_since_ms <= ?`,
  ).run(sinceMs)
}

/** Rows that are deleted together. A row can have many array elements. */
const ROWS_PER_STATEMENT = 50

/** Deletes rows until the step must end, and returns how many. */
function deleteInSlice(db: WriterDatabase, table: number, rows: readonly number[]): number {
  const slice = startSlice()
  const sql = `DELETE FROM ${objectTable(table)} WHERE id IN (SELECT value FROM json_each(?))`
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const some = rows.slice(at, at + ROWS_PER_STATEMENT)
    if (!removeElements(db, some, slice)) return at
    removeFromIndexes(db, some)
    db.cached(sql).run(JSON.stringify(some))
    if (slice.isOver()) return at + some.length
  }
  return rows.length
}

function deleteRows(db: WriterDatabase, table: number, oldest: number): number | undefined {
  return inTransaction(db, 'write', () => {
    const rows = db
      .prepare(
        `SELECT id FROM ${objectTable(table)}
         WHERE valid_to < ${NEVER_CLOSED} AND valid_to <= ? LIMIT ${ROWS_AT_ONCE}`,
      )
      .all(oldest)
      .map((row) => Number(row['id']))
    if (rows.length === 0) return undefined
    const deleted = deleteInSlice(db, table, rows)
    db.prepare('UPDATE oqs_object_table SET closed_count = closed_count - ? WHERE id = ?').run(
      deleted,
      table,
    )
    return deleted
  })
}

/** Removes abandoned tables, step by step. */
function removeAbandonedTables(db: WriterDatabase): Reclaimed | undefined {
  // A table that was never created exists only in the catalogue.
  db.prepare(`DELETE FROM oqs_object_table WHERE state = 'abandoned' AND is_created = 0`).run()
  const abandoned = db
    .prepare(`SELECT id FROM oqs_object_table WHERE state = 'abandoned' LIMIT 1`)
    .get()
  if (abandoned === undefined) return undefined
  return inTransaction(db, 'write', () => removeTable(db, Number(abandoned['id'])))
}

/**
 * Drops the indexes of a table one by one, deletes its rows, and then drops it: to drop it at once
 * would take as long as to read all its pages.
 */
function removeTable(db: WriterDatabase, table: number): Reclaimed {
  const name = objectTable(table)
  const [index] = indexNames(db, name)
  if (index !== undefined) {
    db.exec(`DROP INDEX ${index}`)
    return { rows: 0 }
  }
  const rows = db
    .prepare(`SELECT id FROM ${name} ORDER BY id LIMIT ${ROWS_AT_ONCE}`)
    .all()
    .map((row) => Number(row['id']))
  if (rows.length === 0) {
    db.exec(`DROP TABLE ${name}`)
    db.prepare('DELETE FROM oqs_object_table WHERE id = ?').run(table)
  }
  return { rows: deleteInSlice(db, table, rows) }
}
