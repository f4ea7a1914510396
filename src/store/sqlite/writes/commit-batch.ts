/** Writes a batch: closes old rows, adds new rows, and publishes the version. */

import { AUDIT_KEYS_MAX } from '../../../contract/limits.ts'
import { deduplicateChanges } from '../../batch-rules.ts'
import { buildIndexes, createTable } from '../../core/catalogue/build-table.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import {
  type CommitSession,
  type CommitTarget,
  closeCommit,
  NOTHING_WRITTEN,
  openCommit,
  type WriteMessage,
  type Written,
} from '../../core/commits/commit-write.ts'
import { settled as resultOf, runNow } from '../../core/session/session.ts'
import type { Commit } from '../../object-store.ts'
import { buildingIn } from '../catalogue/object-table.ts'
import { noteIndexedVersion } from '../catalogue/table-indexes.ts'
import type { PropertyColumns } from '../changes/change-message.ts'
import { isPut, keyOf, type ReceivedChange } from '../changes/encoded-rows.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import {
  ChangeWriter,
  type Effect,
  type EffectCounts,
  noEffects,
  rowCloser,
} from './change-writer.ts'
import { noteChangedKeys } from './changed-keys.ts'
import { nextVersion, noteStagedChange, publishedRows, stagedRetractor } from './staged-record.ts'

/** A batch as a message to the writer thread. Its changes are sent before it. */
export interface BatchMessage extends WriteMessage {
  readonly keepsExisting: boolean
  readonly columns: PropertyColumns
}

/** Thrown in a transaction that takes too long; it is rolled back. */
export class TakesLong extends Error {}

/** Writes a batch within a transaction, unless its idempotency key was used before. */
export function applyBatch(
  db: WriterDatabase,
  batch: BatchMessage,
  changes: readonly ReceivedChange[],
  maxLength = Number.POSITIVE_INFINITY,
): Commit {
  const settled = deduplicateChanges(changes, keyOf, batch.keepsExisting)
  const { earlier, target } = openWrite(db, batch)
  if (target === undefined) return earlier
  return closeWrite(db, batch, target, writeChanges(db, batch, settled, target, maxLength))
}

/** The table that a write changes on SQLite. */
export interface SqliteTarget extends CommitTarget {
  /** The version of the staged write of the table; undefined if it has none. */
  readonly staged: number | undefined
  /** True while the objects are copied into another table. */
  readonly isRewriting: boolean
}

type OpenedWrite =
  | { readonly earlier: Commit; readonly target?: undefined }
  | { readonly earlier?: undefined; readonly target: SqliteTarget }

/** Opens a commit within a transaction. Throws if the definition is newer than that of the request. */
export function openWrite(db: WriterDatabase, write: WriteMessage): OpenedWrite {
  const opened = runNow(openCommit(commitSession(db), write))
  if (opened.earlier !== undefined) return { earlier: opened.earlier }
  const { target } = opened
  const [staged, isRewriting] =
    db
      .cached(
        `SELECT (SELECT version FROM oqs_staged_write WHERE table_id = ?),
           EXISTS (SELECT 1 FROM oqs_rewrite WHERE object_type_id = ?)`,
      )
      .get(target.id, target.typeId) ?? []
  const version = typeof staged === 'number' ? staged : undefined
  return { target: { ...target, staged: version, isRewriting: isRewriting === 1 } }
}

/** Publishes what a write has changed, within its transaction. */
export function closeWrite(
  db: WriterDatabase,
  write: Pick<WriteMessage, 'idempotencyKey' | 'audit' | 'notes'>,
  target: SqliteTarget,
  written: Written,
): Commit {
  return runNow(closeCommit(commitSession(db), write, target, written))
}

/** Rows become visible with their transaction, so that no commit is ever unfinished. */
function commitSession({ session }: WriterDatabase): CommitSession {
  return {
    session,
    refuseUnfinished: () => resultOf(undefined),
    publishLater: () => resultOf(false),
  }
}

/** Writes the changes of a batch, one per object. */
function writeChanges(
  db: WriterDatabase,
  batch: BatchMessage,
  settled: readonly ReceivedChange[],
  target: SqliteTarget,
  maxLength?: number,
): Written {
  const { typeId, id, isCreated, lastVersion, staged, isRewriting } = target
  if (!isCreated) {
    // A table that is not created yet has nothing to delete.
    if (!settled.some(isPut)) return { ...NOTHING_WRITTEN, liveCount: 0, maxRecordBytes: 0 }
    runNow(createTable(buildingIn(db), { typeId, id }))
  }
  const version = nextVersion(lastVersion, staged)
  const written = writeRows(db, settled, target, { ...batch, maxLength })
  // To build indexes after the rows costs less than inserting into them row by row.
  if (!isCreated) {
    noteIndexedVersion(db, id, version)
    runNow(buildIndexes(buildingIn(db), { typeId, id }))
  }
  if (isRewriting && written.put + written.deleted > 0) {
    noteChangedKeys(db, typeId, settled.map(keyOf))
  }
  return written
}

function writeRows(
  db: WriterDatabase,
  changes: readonly ReceivedChange[],
  { typeId, id: table, liveCount, maxRecordBytes, version, staged }: SqliteTarget,
  {
    maxLength = Infinity,
    keepsExisting,
    columns,
  }: BatchMessage & { readonly maxLength?: number | undefined },
): Written {
  const existing = liveCount > 0 || staged !== undefined
  const writer = new ChangeWriter(db, {
    typeId,
    table,
    version,
    close: rowCloser(db, table, version),
    keepsExisting,
    columns,
    mayExist: existing && (staged !== undefined || hasRowsBetween(db, table, changes)),
  })
  const retract = staged === undefined ? undefined : stagedRetractor(db, { table, version: staged })
  const counts = noEffects()
  const keys: string[] = []
  for (const change of changes) {
    const pk = keyOf(change)
    if (retract !== undefined) {
      retract(pk)
      noteStagedChange(db, table, pk)
    }
    const effect = writer.apply(change)
    counts[effect] += 1
    if (keys.length < AUDIT_KEYS_MAX && isWritten(effect)) keys.push(pk)
    if (writer.length > maxLength) throw new TakesLong()
  }
  writer.finish()
  return { ...summarise(counts, { liveCount, maxRecordBytes }, writer), keys }
}

/** True if a change has written or deleted its object. */
export function isWritten(effect: Effect): boolean {
  return effect !== 'none' && effect !== 'kept'
}

/** Returns the counts of a commit, and those of its table after it. */
export function summarise(
  { added, replaced, deleted, kept }: EffectCounts,
  table: Pick<CommitTarget, 'liveCount' | 'maxRecordBytes'>,
  { maxRecordBytes }: Pick<ChangeWriter, 'maxRecordBytes'>,
): Omit<Written, 'keys'> {
  return {
    put: added + replaced,
    added: added + replaced,
    deleted,
    kept,
    liveCount: table.liveCount + added - deleted,
    maxRecordBytes: Math.max(table.maxRecordBytes, maxRecordBytes),
    closed: replaced + deleted,
  }
}

/** Fewer keys are looked up one by one. */
const PROBED_BATCH = 100
/** Code units below the surrogates, which UTF-16 and UTF-8 sort in the same order. */
const SORTS_AS_UTF8 = /^[\0-\ud7ff]*$/

/**
 * Returns false if the table has no row between the first and the last key of a batch, so that none
 * has to be looked up: a file in key order then never looks up a key.
 */
export function hasRowsBetween(
  db: WriterDatabase,
  table: number,
  changes: readonly ReceivedChange[],
): boolean {
  const [firstChange, lastChange] = [changes[0], changes.at(-1)]
  if (changes.length < PROBED_BATCH || !firstChange || !lastChange) return true
  const [first, last] = [keyOf(firstChange), keyOf(lastChange)]
  if (!SORTS_AS_UTF8.test(first) || !SORTS_AS_UTF8.test(last)) return true
  const probe = `SELECT 1 FROM ${objectTable(table)} WHERE pk BETWEEN ? AND ? AND valid_to = ${NEVER_CLOSED} LIMIT 1`
  return db.cached(probe).get(first, last) !== undefined
}

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
  return expected.every(([pk, version]) => Number(find.get(...values, pk)?.[0] ?? 0) === version)
}
