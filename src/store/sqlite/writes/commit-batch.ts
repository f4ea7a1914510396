/** Writes a batch: closes old rows, adds new rows, and publishes the version. */
import { AUDIT_KEYS_MAX } from '../../../contract/limits.ts'
import { deduplicateChanges, recordBytes, typeOutOfSync } from '../../batch.ts'
import type { Commit } from '../../object-store.ts'
import type { AuditMessage } from '../../sql/audit-row.ts'
import { OPEN } from '../../sql/new-table.ts'
import type { OnceMessage } from '../../sql/once-key.ts'
import { auditCommit } from '../catalogue/audit-records.ts'
import { createObjectTable, removeFromIndexes } from '../catalogue/object-table.ts'
import { findReplacement, TOUCH } from '../catalogue/replacement.ts'
import { buildIndexes, dropIndexes, noteIndexedAt } from '../catalogue/table-indexes.ts'
import { objectTable } from '../catalogue/table-name.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { noteChangedKeys } from '../rewrite/changed-keys.ts'
import type { PropertyColumns } from '../threads/change-message.ts'
import { isPut, keyOf, putOf, type ReceivedChange } from '../threads/received-change.ts'
import { findRepeated, recordCommit } from './idempotency-keys.ts'
import { withLateCheckpoint } from './late-checkpoint.ts'
import { publishVersion } from './publish-version.ts'
import { rowWriter } from './write-row.ts'

/** A batch as a message to the writer thread. Its changes are sent before it. */
export interface BatchMessage {
  readonly typeRid: string
  readonly basedOn: number
  readonly replacement: string | undefined
  readonly keepsExisting: boolean
  readonly columns: PropertyColumns
  readonly once: OnceMessage | undefined
  readonly audit: AuditMessage | undefined
}

/**
 * Commits a batch in one transaction, as the next version of its type; it is on disk when the
 * function returns. A batch of a replacement is written in the same way, but publishes nothing yet.
 */
export function commitBatch(
  db: WriterDatabase,
  batch: BatchMessage,
  changes: readonly ReceivedChange[],
): Commit {
  const commit = () => inTransaction(db, 'write', () => applyBatch(db, batch, changes))
  return changes.length < LARGE_BATCH ? commit() : withLateCheckpoint(db, commit)
}

/** Writes a batch within a transaction, unless its idempotency key was used before. */
export function applyBatch(
  db: WriterDatabase,
  batch: BatchMessage,
  changes: readonly ReceivedChange[],
): Commit {
  const settled = deduplicateChanges(changes, keyOf, batch.keepsExisting)
  return (
    findRepeated((sql) => db.cached(sql), batch.once) ??
    recordCommit(db, batch.once, writeBatch(db, batch, settled))
  )
}

/** Writes a batch with one change per object, and its record in the audit log. */
export function writeBatch(
  db: WriterDatabase,
  batch: BatchMessage,
  settled: readonly ReceivedChange[],
): Commit {
  const { keys, ...commit } = writeChanges(db, batch, settled)
  return auditCommit(db, batch.audit, commit, keys)
}

interface WrittenKeys {
  /** The first keys that were written or deleted, as many as the audit log keeps. */
  readonly keys: readonly string[]
}

function writeChanges(
  db: WriterDatabase,
  batch: BatchMessage,
  settled: readonly ReceivedChange[],
): Commit & WrittenKeys {
  const type = readType(db, batch)
  const table =
    batch.replacement === undefined ? type.current : findReplacement(db, type.id, batch.replacement)
  if (!table.isCreated) {
    // A table that is not created yet has nothing to delete.
    if (!settled.some(isPut)) {
      return { version: type.published, put: 0, deleted: 0, kept: 0, keys: [] }
    }
    createObjectTable(db, { typeId: type.id, id: table.id })
  }
  const version = table.loadedAs ?? type.lastVersion + 1
  const target = { ...table, typeId: type.id, version }
  const buildsIndexes = table.loadedAs === undefined && isLarge(settled.filter(isPut).length, table)
  if (buildsIndexes && table.isCreated) dropIndexes(db, type.id, table.id)
  const written = writeRows(db, settled, target, batch)
  const { put, deleted, kept, keys } = written
  if (buildsIndexes) {
    if (put > 0) noteIndexedAt(db, table.id, version)
    buildIndexes(db, type.id, table.id)
  }
  if (put + deleted > 0) saveTableCounts(db, table.id, written)
  if (table.loadedAs !== undefined || put + deleted === 0) {
    return { version: type.published, put, deleted, kept, keys }
  }
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
  /** The version of all rows of a replacement; undefined for the current table. */
  readonly loadedAs: number | undefined
  /** False if the table must be created before it is written to. */
  readonly isCreated: boolean
  /** The number of rows, including closed ones. */
  readonly rowCount: number
}

export interface WrittenType {
  readonly id: number
  readonly published: number
  readonly lastVersion: number
  readonly current: WriteTable
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
         o.id AS table_id, o.live_count, o.max_record_bytes, o.is_made, o.past_count,
         EXISTS (SELECT 1 FROM rewrite WHERE object_type_id = t.id) AS is_rewriting
       FROM object_type AS t JOIN object_table AS o ON o.id = t.table_id WHERE t.rid = ?`,
    )
    .get(batch.typeRid) as Readonly<Record<string, number>> | undefined
  if (row === undefined || Number(row['generation']) > batch.basedOn) {
    throw typeOutOfSync(batch.typeRid)
  }
  return {
    id: Number(row['id']),
    published: Number(row['published']),
    lastVersion: Number(row['last_version']),
    isRewriting: row['is_rewriting'] === 1,
    current: {
      id: Number(row['table_id']),
      liveCount: Number(row['live_count']),
      maxRecordBytes: Number(row['max_record_bytes']),
      loadedAs: undefined,
      isCreated: row['is_made'] === 1,
      rowCount: Number(row['live_count']) + Number(row['past_count']),
    },
  }
}

/** Below this many objects, a change of the schema or a late checkpoint costs more than it saves. */
const LARGE_BATCH = 2000

/**
 * Returns whether the indexes of a table are built after the rows of a batch, which costs less than
 * inserting into them row by row. Readers see the table before or after the transaction, so never
 * without indexes.
 */
function isLarge(puts: number, { isCreated, rowCount }: WriteTable): boolean {
  return !isCreated || (puts >= LARGE_BATCH && 2 * puts >= rowCount)
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

function writeRows(
  db: WriterDatabase,
  changes: readonly ReceivedChange[],
  table: WriteTable & { readonly typeId: number; readonly version: number },
  { keepsExisting, columns }: BatchMessage,
): Written {
  const name = objectTable(table.id)
  const close = rowCloser(db, table)
  const find = db.cached(`SELECT 1 FROM ${name} WHERE pk = ? AND valid_to = ${OPEN}`)
  const rows = rowWriter(db, { typeId: table.typeId, table: table.id, columns })
  let [put, deleted, kept, closed] = [0, 0, 0, 0]
  const keys: string[] = []
  let { maxRecordBytes } = table
  const mayExist = table.liveCount > 0 && hasRowsBetween(db, name, changes)
  for (const change of changes) {
    const pk = keyOf(change)
    if (mayExist && keepsExisting && isPut(change) && find.get(pk) !== undefined) {
      kept += 1
      continue
    }
    const existed = mayExist && close(pk)
    if (existed) closed += 1
    if (keys.length < AUDIT_KEYS_MAX && (existed || isPut(change))) keys.push(pk)
    if (!isPut(change)) {
      if (existed) deleted += 1
      continue
    }
    const message = putOf(change)
    rows.add(message, table.version)
    put += 1
    const [, , key, title, body] = message
    maxRecordBytes = Math.max(maxRecordBytes, recordBytes({ key, title, body }))
  }
  rows.finish()
  const liveCount = table.liveCount + put - closed
  const keptForSnapshots = table.loadedAs === undefined ? closed : 0
  return { put, deleted, kept, keys, liveCount, maxRecordBytes, closed: keptForSnapshots }
}

/** Fewer keys are looked up one by one. */
const PROBED_BATCH = 100
/** Code units below the surrogates, which UTF-16 and UTF-8 sort in the same order. */
const SORTS_AS_UTF8 = /^[\0-\ud7ff]*$/

/**
 * Returns false if the table has no row between the first and the last key of a batch, so that none
 * has to be looked up: a file in key order then never looks up a key.
 */
function hasRowsBetween(
  db: WriterDatabase,
  table: string,
  changes: readonly ReceivedChange[],
): boolean {
  const [firstChange, lastChange] = [changes[0], changes.at(-1)]
  if (changes.length < PROBED_BATCH || !firstChange || !lastChange) return true
  const [first, last] = [keyOf(firstChange), keyOf(lastChange)]
  if (!SORTS_AS_UTF8.test(first) || !SORTS_AS_UTF8.test(last)) return true
  const probe = `SELECT 1 FROM ${table} WHERE pk BETWEEN ? AND ? AND valid_to = ${OPEN} LIMIT 1`
  return db.cached(probe).get(first, last) !== undefined
}

/** Returns a function that closes the current row of a key, and returns true if there was one. */
function rowCloser(
  db: WriterDatabase,
  table: WriteTable & { readonly version: number },
): (pk: string) => boolean {
  const name = objectTable(table.id)
  const isCurrent = `pk = ? AND valid_to = ${OPEN}`
  if (table.loadedAs === undefined) {
    const close = db.cached(`UPDATE ${name} SET valid_to = ? WHERE ${isCurrent}`)
    return (pk) => close.run(table.version, pk).changes === 1
  }
  // Rows of a replacement all have the same version and were never visible, so they are deleted.
  const remove = db.cached(`DELETE FROM ${name} WHERE ${isCurrent} RETURNING id`)
  return (pk) => {
    const row = remove.get(pk)
    if (row !== undefined) removeFromIndexes(db, [Number(row['id'])])
    return row !== undefined
  }
}

export function saveTableCounts(
  db: WriterDatabase,
  table: number,
  written: Pick<Written, 'liveCount' | 'maxRecordBytes' | 'closed'>,
): void {
  db.cached(
    `UPDATE object_table
     SET live_count = ?, max_record_bytes = ?, past_count = past_count + ?, ${TOUCH} WHERE id = ?`,
  ).run(written.liveCount, written.maxRecordBytes, written.closed, table)
}
