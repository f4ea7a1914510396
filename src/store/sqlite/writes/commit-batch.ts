/** Writes a batch: closes old rows, adds new rows, and publishes the version. */
import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { deduplicateChanges } from '../../batch.ts'
import type { Commit } from '../../object-store.ts'
import { OPEN } from '../../sql/new-table.ts'
import type { OnceMessage } from '../../sql/once-key.ts'
import { createObjectTable, objectTable, removeFromIndexes } from '../catalogue/object-table.ts'
import { findReplacement, TOUCH } from '../catalogue/replacement.ts'
import { inTransaction } from '../file/connection.ts'
import { type ChangeMessage, isPut, type PutMessage } from '../threads/change-message.ts'
import { findRepeated, recordCommit } from './idempotency-keys.ts'
import { publishVersion } from './publish-version.ts'
import { rowWriter } from './write-row.ts'

/** A batch as a message to the writer thread. Its changes are sent before it. */
export interface BatchMessage {
  readonly typeRid: string
  readonly basedOn: number
  readonly replacement: string | undefined
  readonly keepsExisting: boolean
  /** The properties of the type, in the order of the column values of a put. */
  readonly properties: readonly string[]
  readonly once: OnceMessage | undefined
}

/**
 * Commits a batch in one transaction, as the next version of its type; it is on disk when the
 * function returns. A batch of a replacement is written in the same way, but publishes nothing yet.
 */
export function commitBatch(
  db: DatabaseSync,
  batch: BatchMessage,
  changes: readonly ChangeMessage[],
): Commit {
  const settled = deduplicateChanges(changes, ([pk]) => pk, batch.keepsExisting)
  return inTransaction(
    db,
    'write',
    () =>
      findRepeated(db, batch.once) ?? recordCommit(db, batch.once, writeBatch(db, batch, settled)),
  )
}

/** Writes a batch with one change per object, within a transaction. */
export function writeBatch(
  db: DatabaseSync,
  batch: BatchMessage,
  settled: readonly ChangeMessage[],
): Commit {
  const type = readType(db, batch)
  const table =
    batch.replacement === undefined ? type.current : findReplacement(db, type.id, batch.replacement)
  if (!table.isCreated) {
    // A table that is not created yet has nothing to delete.
    if (!settled.some(isPut)) return { version: type.published, put: 0, deleted: 0, kept: 0 }
    const state = table.loadedAs === undefined ? 'published' : 'loading'
    createObjectTable(db, { typeId: type.id, id: table.id, state })
  }
  const version = table.loadedAs ?? type.lastVersion + 1
  const written = writeRows(db, settled, { ...table, typeId: type.id, version }, batch)
  const { put, deleted, kept } = written
  if (put + deleted > 0) saveTableCounts(db, table.id, written)
  if (table.loadedAs !== undefined || put + deleted === 0) {
    return { version: type.published, put, deleted, kept }
  }
  publishVersion(db, { typeId: type.id, version, put, deleted })
  return { version, put, deleted, kept }
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
}

export interface WrittenType {
  readonly id: number
  readonly published: number
  readonly lastVersion: number
  readonly current: WriteTable
}

/**
 * Reads the state of a type for a write. Throws `OntologyDefinitionOutOfSync` if its definition is
 * newer than the one that the request was validated against.
 */
export function readType(
  db: DatabaseSync,
  batch: Pick<BatchMessage, 'typeRid' | 'basedOn'>,
): WrittenType {
  const row = db
    .prepare(
      `SELECT t.id, t.generation, t.published, t.last_version,
         o.id AS table_id, o.live_count, o.max_record_bytes, o.is_made
       FROM object_type AS t JOIN object_table AS o ON o.id = t.table_id WHERE t.rid = ?`,
    )
    .get(batch.typeRid) as Readonly<Record<string, number>> | undefined
  if (row === undefined || Number(row['generation']) > batch.basedOn) {
    throw new ObjectQueryError('OntologyDefinitionOutOfSync', {
      objectTypeRid: batch.typeRid,
      reason: 'the object type was changed while the batch was being read',
    })
  }
  return {
    id: Number(row['id']),
    published: Number(row['published']),
    lastVersion: Number(row['last_version']),
    current: {
      id: Number(row['table_id']),
      liveCount: Number(row['live_count']),
      maxRecordBytes: Number(row['max_record_bytes']),
      loadedAs: undefined,
      isCreated: row['is_made'] === 1,
    },
  }
}

interface Written {
  readonly put: number
  readonly deleted: number
  readonly kept: number
  readonly liveCount: number
  readonly maxRecordBytes: number
  /** Closed rows that are kept for snapshots. */
  readonly closed: number
}

function writeRows(
  db: DatabaseSync,
  changes: readonly ChangeMessage[],
  table: WriteTable & { readonly typeId: number; readonly version: number },
  { keepsExisting, properties }: BatchMessage,
): Written {
  const name = objectTable(table.id)
  const close = rowCloser(db, table)
  const find = db.prepare(`SELECT 1 FROM ${name} WHERE pk = ? AND valid_to = ${OPEN}`)
  const rows = rowWriter(db, { typeId: table.typeId, table: table.id, properties })
  let [put, deleted, kept, closed] = [0, 0, 0, 0]
  let { maxRecordBytes } = table
  for (const change of changes) {
    const [pk] = change
    // An empty table has no rows to close; skipping the lookup halves the work of a first load.
    const mayExist = table.liveCount > 0
    if (mayExist && keepsExisting && isPut(change) && find.get(pk) !== undefined) {
      kept += 1
      continue
    }
    const existed = mayExist && close(pk)
    if (existed) closed += 1
    if (!isPut(change)) {
      if (existed) deleted += 1
      continue
    }
    rows.add(change, table.version)
    put += 1
    maxRecordBytes = Math.max(maxRecordBytes, recordBytes(change))
  }
  rows.finish()
  const liveCount = table.liveCount + put - closed
  const keptForSnapshots = table.loadedAs === undefined ? closed : 0
  return { put, deleted, kept, liveCount, maxRecordBytes, closed: keptForSnapshots }
}

/** Returns a function that closes the current row of a key, and returns true if there was one. */
function rowCloser(
  db: DatabaseSync,
  table: WriteTable & { readonly version: number },
): (pk: string) => boolean {
  const current = `${objectTable(table.id)} WHERE pk = ? AND valid_to = ${OPEN}`
  if (table.loadedAs === undefined) {
    const close = db.prepare(`UPDATE ${current.replace(' WHERE', ' SET valid_to = ? WHERE')}`)
    return (pk) => close.run(table.version, pk).changes === 1
  }
  // Rows of a replacement all have the same version and were never visible, so they are deleted.
  const remove = db.prepare(`DELETE FROM ${current} RETURNING id`)
  return (pk) => {
    const row = remove.get(pk)
    if (row !== undefined) removeFromIndexes(db, [Number(row['id'])])
    return row !== undefined
  }
}

/** The bytes of an object in a page, without those that depend on the shape of the record. */
function recordBytes([, , key, title, body]: PutMessage): number {
  return Buffer.byteLength(body) + Buffer.byteLength(key) + Buffer.byteLength(title ?? '')
}

export function saveTableCounts(
  db: DatabaseSync,
  table: number,
  written: Pick<Written, 'liveCount' | 'maxRecordBytes' | 'closed'>,
): void {
  db.prepare(
    `UPDATE object_table
     SET live_count = ?, max_record_bytes = ?, past_count = past_count + ?, ${TOUCH} WHERE id = ?`,
  ).run(written.liveCount, written.maxRecordBytes, written.closed, table)
}
