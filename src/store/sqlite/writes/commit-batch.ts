/** Writes a batch: closes old rows, adds new rows, and publishes the version. */

import { AUDIT_KEYS_MAX } from '../../../contract/limits.ts'
import { deduplicateChanges, typeOutOfSync } from '../../batch.ts'
import type { AuditMessage } from '../../core/audit/audit-records.ts'
import { auditCommit } from '../../core/audit/stored-audit-log.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import {
  findEarlierCommit,
  type KeyMessage,
  recordCommit,
} from '../../core/idempotency/idempotency-keys.ts'
import { IN_USE } from '../../core/maintenance/version-times.ts'
import { runNow } from '../../core/session/operation.ts'
import type { Commit } from '../../object-store.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { createObjectTable } from '../catalogue/object-table.ts'
import { buildIndexes, noteIndexedVersion } from '../catalogue/table-indexes.ts'
import type { PropertyColumns } from '../changes/change-message.ts'
import { isPut, keyOf, type ReceivedChange } from '../changes/received-change.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import {
  ChangeWriter,
  type Effect,
  type EffectCounts,
  noEffects,
  rowCloser,
} from './change-writer.ts'
import { noteChangedKeys } from './changed-keys.ts'
import { publishVersion } from './publish-version.ts'
import { nextVersion, noteStagedChange, stagedRetractor } from './staged-record.ts'

/** A batch as a message to the writer thread. Its changes are sent before it. */
export interface BatchMessage {
  readonly typeRid: string
  readonly basedOn: number
  readonly replacement: string | undefined
  readonly keepsExisting: boolean
  readonly columns: PropertyColumns
  readonly idempotencyKey: KeyMessage | undefined
  readonly audit: AuditMessage | undefined
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
  const { idempotencyKey } = batch
  const earlier = runNow(findEarlierCommit(db.session, idempotencyKey))
  if (earlier !== undefined) return earlier
  const commit = writeBatch(db, batch, settled, maxLength)
  return runNow(recordCommit(db.session, idempotencyKey, commit))
}

/** Writes a batch with one change per object, and its record in the audit log. */
export function writeBatch(
  db: WriterDatabase,
  batch: BatchMessage,
  settled: readonly ReceivedChange[],
  maxLength?: number,
): Commit {
  const { keys, ...commit } = writeChanges(db, batch, settled, maxLength)
  return runNow(auditCommit(db.session, batch.audit, commit, keys))
}

interface WrittenKeys {
  /** The first keys that were written or deleted, as many as the audit log keeps. */
  readonly keys: readonly string[]
}

function writeChanges(
  db: WriterDatabase,
  batch: BatchMessage,
  settled: readonly ReceivedChange[],
  maxLength: number | undefined,
): Commit & WrittenKeys {
  const type = readType(db, batch)
  const { current: table, staged } = type
  if (!table.isCreated) {
    // A table that is not created yet has nothing to delete.
    if (!settled.some(isPut)) {
      return { version: type.published, put: 0, deleted: 0, kept: 0, keys: [] }
    }
    createObjectTable(db, { typeId: type.id, id: table.id })
  }
  const version = nextVersion(type.lastVersion, staged)
  const written = writeRows(db, settled, { ...batch, type, version, maxLength })
  const { put, deleted, kept, keys } = written
  // To build indexes after the rows costs less than inserting into them row by row.
  if (!table.isCreated) {
    noteIndexedVersion(db, table.id, version)
    buildIndexes(db, type.id, table.id)
  }
  if (put + deleted === 0) return { version: type.published, put, deleted, kept, keys }
  saveTableCounts(db, table.id, written)
  if (type.isRewriting) {
    noteChangedKeys(db, type.id, settled.map(keyOf))
  }
  publishVersion(db, { typeId: type.id, version, put, deleted, kept })
  return { version, put, deleted, kept, keys }
}

/** The table that a batch is written to. */
export interface WriteTable {
  readonly id: number
  readonly liveCount: number
  readonly maxRecordBytes: number
  /** False if the table must be created before it is written to. */
  readonly isCreated: boolean
}

export interface WrittenType {
  readonly id: number
  readonly published: number
  readonly lastVersion: number
  readonly current: WriteTable
  /** The version of the staged write of the current table; undefined if it has none. */
  readonly staged: number | undefined
  /** True while the objects are copied into another table. */
  readonly isRewriting: boolean
}

/**
 * Reads the state of a type for a write. Throws `OntologyDefinitionOutOfSync` if its definition is
 * newer than the one that the request was validated against.
 */
export function readType(
  db: WriterDatabase,
  batch: Pick<BatchMessage, 'typeRid' | 'basedOn'>,
): WrittenType {
  const row = db
    .cached(
      `SELECT t.id, t.generation, t.published, t.last_version,
         o.id AS table_id, o.live_count, o.max_record_bytes, o.is_created,
         (SELECT version FROM oqs_staged_write WHERE table_id = o.id) AS staged,
         EXISTS (SELECT 1 FROM oqs_rewrite WHERE object_type_id = t.id) AS is_rewriting
       FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id WHERE t.rid = ?`,
    )
    .get(batch.typeRid) as Readonly<Record<string, number | null>> | undefined
  if (row === undefined || Number(row['generation']) > batch.basedOn) {
    throw typeOutOfSync(batch.typeRid)
  }
  return {
    id: Number(row['id']),
    published: Number(row['published']),
    lastVersion: Number(row['last_version']),
    isRewriting: row['is_rewriting'] === 1,
    staged: row['staged'] ?? undefined,
    current: {
      id: Number(row['table_id']),
      liveCount: Number(row['live_count']),
      maxRecordBytes: Number(row['max_record_bytes']),
      isCreated: row['is_created'] === 1,
    },
  }
}

interface Written extends WrittenKeys {
  readonly put: number
  readonly deleted: number
  readonly kept: number
  readonly liveCount: number
  readonly maxRecordBytes: number
  /** Closed rows that are kept for snapshots. */
  readonly closed: number
}

interface RowsToWrite extends BatchMessage {
  readonly type: WrittenType
  readonly version: number
  readonly maxLength: number | undefined
}

function writeRows(
  db: WriterDatabase,
  changes: readonly ReceivedChange[],
  { type, version, maxLength = Infinity, keepsExisting, columns }: RowsToWrite,
): Written {
  const { current: table, staged } = type
  const existing = table.liveCount > 0 || staged !== undefined
  const writer = new ChangeWriter(db, {
    typeId: type.id,
    table: table.id,
    version,
    close: rowCloser(db, table.id, version),
    keepsExisting,
    columns,
    mayExist: existing && (staged !== undefined || hasRowsBetween(db, table.id, changes)),
  })
  const retract =
    staged === undefined ? undefined : stagedRetractor(db, { table: table.id, version: staged })
  const counts = noEffects()
  const keys: string[] = []
  for (const change of changes) {
    const pk = keyOf(change)
    if (retract !== undefined) {
      retract(pk)
      noteStagedChange(db, table.id, pk)
    }
    const effect = writer.apply(change)
    counts[effect] += 1
    if (keys.length < AUDIT_KEYS_MAX && isWritten(effect)) keys.push(pk)
    if (writer.length > maxLength) throw new TakesLong()
  }
  writer.finish()
  return { ...summarise(counts, table, writer), keys }
}

/** True if a change has written or deleted its object. */
export function isWritten(effect: Effect): boolean {
  return effect !== 'none' && effect !== 'kept'
}

/** Returns the counts of a commit, and those of its table after it. */
export function summarise(
  { added, replaced, deleted, kept }: EffectCounts,
  table: Pick<WriteTable, 'liveCount' | 'maxRecordBytes'>,
  { maxRecordBytes }: Pick<ChangeWriter, 'maxRecordBytes'>,
): Omit<Written, 'keys'> {
  return {
    put: added + replaced,
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

export function saveTableCounts(
  db: WriterDatabase,
  table: number,
  written: Pick<Written, 'liveCount' | 'maxRecordBytes' | 'closed'>,
): void {
  db.cached(
    `UPDATE oqs_object_table
     SET live_count = ?, max_record_bytes = ?, closed_count = closed_count + ?, ${IN_USE} WHERE id = ?`,
  ).run(written.liveCount, written.maxRecordBytes, written.closed, table)
}
