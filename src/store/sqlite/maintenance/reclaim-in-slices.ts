/** Deletes rows and tables that no reader can need any more, in steps that are short. */

import type { DatabaseSync } from 'node:sqlite'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import { indexNames } from '../catalogue/table-indexes.ts'
import { inTransaction } from '../file/connection.ts'
import { startSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'

/** Rows that are read for one step. */
const ROWS_AT_ONCE = 5000
/** Rows that are deleted together. */
const ROWS_PER_STATEMENT = 50

/** Deletes some of the rows that were closed by a version; see `ReclaimSteps.deleteClosedRows`. */
export function deleteClosedRows(
  db: WriterDatabase,
  { table, closedBy }: { readonly table: number; readonly closedBy: number },
): number | undefined {
  return inTransaction(db, 'write', () => {
    if (!isPublished(db, table)) return undefined
    const closed = `valid_to < ${NEVER_CLOSED} AND valid_to <= ?`
    const rows = readRows(db, `${objectTable(table)} WHERE ${closed}`, closedBy)
    if (rows.length === 0) return undefined
    const deleted = deleteInSlice(db, table, rows)
    const count = 'UPDATE oqs_object_table SET closed_count = closed_count - ? WHERE id = ?'
    db.prepare(count).run(deleted, table)
    return deleted
  })
}

/** False for a table that was removed since it was read. */
function isPublished(db: DatabaseSync, table: number): boolean {
  const sql = `SELECT 1 FROM oqs_object_table WHERE id = ? AND is_created AND state = 'published'`
  return db.prepare(sql).get(table) !== undefined
}

function readRows(db: DatabaseSync, from: string, ...values: number[]): number[] {
  const rows = db.prepare(`SELECT id FROM ${from} LIMIT ${ROWS_AT_ONCE}`).all(...values)
  return rows.map(({ id }) => Number(id))
}

/** Deletes rows until the step must end, and returns how many. */
function deleteInSlice(db: WriterDatabase, table: number, rows: readonly number[]): number {
  const slice = startSlice()
  const sql = `DELETE FROM ${objectTable(table)} WHERE id IN (SELECT value FROM json_each(?))`
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const some = rows.slice(at, at + ROWS_PER_STATEMENT)
    db.cached(sql).run(JSON.stringify(some))
    if (slice.isOver()) return at + some.length
  }
  return rows.length
}

/** Removes abandoned tables, step by step. */
export function removeAbandoned(db: WriterDatabase, _: undefined): number | undefined {
  return inTransaction(db, 'write', () => {
    // A table that was never created exists only in the catalogue.
    db.exec(`DELETE FROM oqs_object_table WHERE state = 'abandoned' AND NOT is_created`)
    const sql = `SELECT id FROM oqs_object_table WHERE state = 'abandoned' LIMIT 1`
    const abandoned = db.prepare(sql).get()
    return abandoned === undefined ? undefined : removeTable(db, Number(abandoned['id']))
  })
}

/**
 * Drops the indexes of a table one by one, deletes its rows, and then drops it: to drop it at once
 * would take as long as to read all its pages.
 */
function removeTable(db: WriterDatabase, table: number): number {
  const name = objectTable(table)
  const [index] = indexNames(db, name)
  if (index !== undefined) {
    db.exec(`DROP INDEX ${index}`)
    return 0
  }
  const rows = readRows(db, `${name} ORDER BY id`)
  if (rows.length === 0) {
    db.exec(`DROP TABLE ${name}`)
    db.prepare('DELETE FROM oqs_object_table WHERE id = ?').run(table)
  }
  return deleteInSlice(db, table, rows)
}
