/** Commits an edit, unless an object changed after the edit was decided. */

import { deduplicateChanges } from '../../batch.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { Commit } from '../../object-store.ts'
import { keyOf, type ReceivedChange } from '../changes/received-change.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import {
  type BatchMessage,
  closeWrite,
  openWrite,
  type SqliteTarget,
  writeChanges,
} from './commit-batch.ts'
import { publishedRows } from './staged-record.ts'

export interface EditMessage extends BatchMessage {
  /** The row versions that the decision is based on; 0 for an object that did not exist. */
  readonly expected: readonly (readonly [pk: string, version: number])[]
  readonly note: string | undefined
}

/** Returns the commit, or undefined if the edit must be decided again. Runs in a transaction. */
export function applyEdit(
  db: WriterDatabase,
  edit: EditMessage,
  changes: readonly ReceivedChange[],
): Commit | undefined {
  const settled = deduplicateChanges(changes, keyOf, false)
  const { earlier, target } = openWrite(db, edit)
  if (target === undefined) return earlier
  if (!isCurrent(db, edit, target)) return undefined
  const written = writeChanges(db, edit, settled, target)
  const { note } = edit
  return closeWrite(db, edit, target, note === undefined ? written : { ...written, note })
}

function isCurrent(db: WriterDatabase, { expected }: EditMessage, target: SqliteTarget): boolean {
  if (!target.isCreated) return expected.every(([, version]) => version === 0)
  const { sql, values } = publishedRows(target)
  const find = db.cached(`SELECT valid_from FROM ${objectTable(target.id)} WHERE ${sql} AND pk = ?`)
  return expected.every(
    ([pk, version]) => Number(find.get(...values, pk)?.['valid_from'] ?? 0) === version,
  )
}
