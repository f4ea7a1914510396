/** Undoes a staged write that will not be completed, in steps. */

import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import { boolean, integer, text } from '../../core/session/session.ts'
import type { StagedRecord } from '../../core/tables/construction.ts'
import { rowRemover } from '../catalogue/object-table.ts'
import { inTransaction } from '../file/connection.ts'
import { runIn } from '../file/sqlite-session.ts'
import { type SliceOptions, startSlice, type TimeSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { countStep, disownStaged, readStaged, removeStaged } from '../writes/staged-record.ts'

export interface UndoMessage extends SliceOptions {
  readonly table: number
  /** The version of the write: another one may have begun since. */
  readonly version: number
}

/** Runs one step, and returns whether the write is undone. */
export function undoStaged(db: WriterDatabase, message: UndoMessage): boolean {
  const step = () => {
    const record = readStaged(db, message.table)
    if (record === undefined || record.version !== message.version) return true
    disownStaged(db, record)
    countStep(db, record)
    const isUndone = undo(db, record, startSlice(message))
    if (isUndone) removeStaged(db, record)
    return isUndone
  }
  return db.withoutCheckpoint(() => inTransaction(db, 'write', step))
}

/** A table with a staged write, and how far that is undone. */
const UNDONE_TABLE = {
  state: text,
  loadedAs: integer,
  isCreated: boolean,
  isCurrent: boolean,
  undoneRow: integer,
} as const

function undo(db: WriterDatabase, record: StagedRecord, slice: TimeSlice): boolean {
  const table = runIn(db, (session) =>
    session.find(
      `SELECT o.state, o.loaded_as, o.is_created,
         EXISTS (SELECT 1 FROM oqs_object_type WHERE table_id = o.id), s.undone_row
       FROM oqs_staged_write AS s JOIN oqs_object_table AS o ON o.id = s.table_id WHERE o.id = ?`,
      [record.table],
      UNDONE_TABLE,
    ),
  )
  if (table === undefined) return true
  const { state, loadedAs, undoneRow } = table
  // Nothing shows what was written to a table that was replaced or abandoned.
  const isUsed = state === 'loading' || table.isCurrent
  if (!isUsed || !table.isCreated) return true
  if (record.version > 0) {
    return removeRows(db, record, record.version, slice) && reopenRows(db, record, slice)
  }
  return (
    removeRows(db, record, loadedAs, slice) &&
    restoreMarkedRows(db, record, { loadedAs, undoneRow }, slice)
  )
}

/** Rows that are looked at together. */
const ROWS = 500

/** Removes the rows that the write has added. Returns true if none is left. */
function removeRows(
  db: WriterDatabase,
  { table, afterRow, version }: StagedRecord,
  validFrom: number,
  slice: TimeSlice,
): boolean {
  const name = objectTable(table)
  const find = db.cached(
    `SELECT id, pk FROM ${name} WHERE id > ? AND valid_from = ? ORDER BY id LIMIT ${ROWS}`,
  )
  const reopen = db.cached(
    `UPDATE ${name} SET valid_to = ${NEVER_CLOSED} WHERE pk = ? AND valid_to = ?`,
  )
  const remove = rowRemover(db, table)
  for (;;) {
    const rows = find.all(afterRow, validFrom)
    if (rows.length === 0) return true
    for (const [id, pk] of rows) {
      remove(Number(id))
      // Together with its successor: an object has one current row.
      if (version > 0) reopen.run(String(pk), version)
      if (slice.isOver()) return false
    }
  }
}

/** Reopens the rows of objects that the write has deleted. Returns true if none is left. */
function reopenRows(
  db: WriterDatabase,
  { table, version }: StagedRecord,
  slice: TimeSlice,
): boolean {
  const name = objectTable(table)
  const reopen = db.cached(
    `UPDATE ${name} SET valid_to = ${NEVER_CLOSED} WHERE id IN (
       SELECT id FROM ${name} WHERE valid_to = ? AND valid_to < ${NEVER_CLOSED} LIMIT ${ROWS}
     )`,
  )
  for (;;) {
    const { changes } = reopen.run(version)
    if (changes === 0) return true
    if (slice.isOver(Number(changes))) return false
  }
}

/**
 * Restores the rows that a batch of a replacement has marked. They are found by reading all rows,
 * because the table may not have its indexes yet.
 */
function restoreMarkedRows(
  db: WriterDatabase,
  { table, version }: StagedRecord,
  { loadedAs, undoneRow }: { readonly loadedAs: number; readonly undoneRow: number },
  slice: TimeSlice,
): boolean {
  const name = objectTable(table)
  const next = db.cached(`SELECT id, valid_to FROM ${name} WHERE id > ? ORDER BY id LIMIT ${ROWS}`)
  const restore = db.cached(
    `UPDATE ${name} SET valid_from = ?, valid_to = ${NEVER_CLOSED} WHERE id = ?`,
  )
  let last = undoneRow
  for (let isOver = false; !isOver; isOver = slice.isOver(ROWS)) {
    const rows = next.all(last)
    for (const [id, validTo] of rows) {
      if (validTo === version) restore.run(loadedAs, Number(id))
      last = Number(id)
    }
    if (rows.length < ROWS) return true
  }
  db.cached('UPDATE oqs_staged_write SET undone_row = ? WHERE table_id = ?').run(last, table)
  return false
}
