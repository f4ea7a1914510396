import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../contract/errors.ts'
import { recordBytes, type SettledChange, settleChanges } from '../batch.ts'
import type { Change, Commit } from '../object-store.ts'
import { inTransaction } from './connection.ts'
import { OPEN, objectTable } from './object-table.ts'
import { rowWriter } from './write-row.ts'

/** A batch as it crosses to the writer thread, ahead of which its changes have come. */
export interface BatchHead {
  readonly typeRid: string
  readonly basedOn: number
  readonly nowMs: number
}

interface Head {
  readonly id: number
  readonly generation: number
  readonly published: number
  readonly live_count: number
  readonly max_record_bytes: number
}

/**
 * Writes a batch as the next version of its type: old rows are closed, new rows added, and the
 * version published, in one transaction. When this returns the batch is on disk.
 */
export function commitBatch(
  db: DatabaseSync,
  batch: BatchHead,
  changes: readonly Change[],
): Commit {
  const settled = settleChanges(changes)
  return inTransaction(db, 'write', () => {
    const head = readHead(db, batch)
    const version = head.published + 1
    const written = writeRows(db, settled, head, version)
    if (written.put + written.deleted === 0) {
      return { version: head.published, put: 0, deleted: 0 }
    }
    publish(db, batch.nowMs, head, version, written)
    return { version, put: written.put, deleted: written.deleted }
  })
}

function readHead(db: DatabaseSync, batch: BatchHead): Head {
  const head = db
    .prepare(
      'SELECT id, generation, published, live_count, max_record_bytes FROM object_type WHERE rid = ?',
    )
    .get(batch.typeRid) as unknown as Head | undefined
  if (head === undefined || head.generation > batch.basedOn) {
    throw new ObjectQueryError('OntologyDefinitionOutOfSync', {
      objectTypeRid: batch.typeRid,
      reason: 'the object type was changed while the batch was read',
    })
  }
  return head
}

interface Written {
  readonly put: number
  readonly deleted: number
  readonly liveCount: number
  readonly maxRecordBytes: number
}

function writeRows(
  db: DatabaseSync,
  changes: readonly SettledChange[],
  head: Head,
  version: number,
): Written {
  const table = objectTable(head.id)
  const close = db.prepare(`UPDATE ${table} SET valid_to = ? WHERE pk = ? AND valid_to = ${OPEN}`)
  const rows = rowWriter(db, head.id)
  let put = 0
  let deleted = 0
  let closed = 0
  let maxRecordBytes = head.max_record_bytes
  for (const { pk, object } of changes) {
    // Nothing to close in an empty type: a first load is half as much work.
    const existed = head.live_count > 0 && close.run(version, pk).changes === 1
    if (existed) closed += 1
    if (object === undefined) {
      if (existed) deleted += 1
      continue
    }
    rows.add(object, version)
    put += 1
    maxRecordBytes = Math.max(maxRecordBytes, recordBytes(object))
  }
  rows.finish()
  return { put, deleted, liveCount: head.live_count + put - closed, maxRecordBytes }
}

function publish(
  db: DatabaseSync,
  nowMs: number,
  head: Head,
  version: number,
  written: Written,
): void {
  db.prepare(
    'UPDATE object_type SET published = ?, live_count = ?, max_record_bytes = ? WHERE id = ?',
  ).run(version, written.liveCount, written.maxRecordBytes, head.id)
  // A clock that was set back must not make a commit older than the one before it.
  db.prepare(
    `INSERT INTO commit_log (object_type_id, version, committed_at_ms, put, deleted)
     VALUES (?1, ?2, max(?3, coalesce((
       SELECT committed_at_ms FROM commit_log WHERE object_type_id = ?1 ORDER BY version DESC LIMIT 1
     ), 0)), ?4, ?5)`,
  ).run(head.id, version, nowMs, written.put, written.deleted)
}
