/** Commits an edit, unless an object changed after the edit was decided. */

import { deduplicateChanges } from '../../batch.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { findEarlierCommit, recordCommit } from '../../core/idempotency/idempotency-keys.ts'
import { runNow } from '../../core/session/operation.ts'
import type { Commit } from '../../object-store.ts'
import { keyOf, type ReceivedChange } from '../changes/received-change.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { type BatchMessage, readType, writeBatch } from './commit-batch.ts'
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
  const repeated = runNow(findEarlierCommit(db.session, edit.idempotencyKey))
  if (repeated !== undefined) return repeated
  if (!isCurrent(db, edit)) return undefined
  const written = writeBatch(db, edit, settled)
  const commit = edit.note === undefined ? written : { ...written, note: edit.note }
  return runNow(recordCommit(db.session, edit.idempotencyKey, commit))
}

function isCurrent(db: WriterDatabase, edit: EditMessage): boolean {
  const { current, published, staged } = readType(db, edit)
  const { id: table, isCreated } = current
  if (!isCreated) return edit.expected.every(([, version]) => version === 0)
  const { sql, values } = publishedRows({ published, staged })
  const find = db.cached(`SELECT valid_from FROM ${objectTable(table)} WHERE ${sql} AND pk = ?`)
  return edit.expected.every(
    ([pk, version]) => Number(find.get(...values, pk)?.['valid_from'] ?? 0) === version,
  )
}
