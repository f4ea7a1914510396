/**
 * The transaction that every write of objects shares: locks the type, lets the write change rows as
 * the next version, and publishes it, or marks it as pending where rows become visible later.
 */

import { typeOutOfSync } from '../../batch.ts'
import type { AuditedWrite } from '../../core/audit/audit-records.ts'
import { auditCommit } from '../../core/audit/stored-audit-log.ts'
import {
  findEarlierCommit,
  recordCommit,
  toKeyMessage,
} from '../../core/idempotency/idempotency-keys.ts'
import type { Commit, WriteTarget } from '../../write-request.ts'
import {
  type PostgresContext,
  publishPending,
  savePending,
  writeInTurn,
} from '../citus/pending-commit.ts'
import type { Writer, WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'
import { analyzeLater, hasGrownMuch } from './analyze.ts'
import {
  type LockedType,
  lockReplacement,
  lockType,
  readTable,
  type WriteTable,
} from './lock-type.ts'
import { publishVersion, saveTableCounts } from './publish-version.ts'

/** The table that a write changes, and the version of its rows. */
export interface CommitTarget extends WriteTable {
  readonly typeId: number
  /** The generation of the type's definition. */
  readonly generation: number
  readonly version: number
  readonly isLoading: boolean
}

export interface Written {
  readonly put: number
  readonly deleted: number
  readonly kept: number
  /** The numbers of added and closed rows. */
  readonly added: number
  readonly closed: number
  readonly liveCount: number
  readonly maxRecordBytes: number
  /** The first keys that were written or deleted, as many as the audit log keeps. */
  readonly keys: readonly string[]
  readonly note?: string
}

/** Runs a write as one commit; it is on disk when the promise resolves. */
export async function commitWrite(
  store: PostgresContext,
  write: WriteTarget & AuditedWrite & { readonly replacement?: string | undefined },
  writer: Writer,
  writeRows: (session: WriteSession, target: CommitTarget) => Promise<Written>,
): Promise<Commit> {
  const { objectType, replacement, basedOn } = write
  const idempotencyKey = toKeyMessage(write.idempotencyKey)
  const owner = { ...writer, key: objectType.rid }
  const { typeId, commit, grown } = await writeInTurn(store, owner, async (session) => {
    const lock = replacement === undefined ? 'commit' : 'load'
    const type = await lockType(session, store.capabilities, objectType.rid, lock)
    if (type === undefined) throw typeOutOfSync(objectType.rid)
    // After the lock: a request with the same key that held it is committed now.
    const repeated = await runIn(session, (core) => findEarlierCommit(core, idempotencyKey))
    if (repeated !== undefined) return { typeId: type.id, commit: repeated, grown: undefined }
    if (type.generation > basedOn) throw typeOutOfSync(objectType.rid)
    const target = await targetOf(session, type, replacement)
    const written = await writeRows(session, target)
    await publish(session, store, target, written)
    const { put, deleted, kept, note } = written
    const isVisible = put + deleted > 0 && !target.isLoading
    const version = isVisible ? target.version : type.published
    const counts = { version, put, deleted, kept }
    const commit = note === undefined ? counts : { ...counts, note }
    const done = await runIn(session, function* (core) {
      yield* recordCommit(core, idempotencyKey, commit)
      return yield* auditCommit(core, write.audit, commit, written.keys)
    })
    // A replacement is analyzed before it is published, and building its indexes waits for ANALYZE.
    const hasGrown = !target.isLoading && hasGrownMuch(written.liveCount, target.liveCount)
    return {
      typeId: type.id,
      commit: done,
      grown: hasGrown ? target.id : undefined,
    }
  })
  if (grown !== undefined) analyzeLater(store.database, grown)
  if (store.capabilities.needsSeparatePublication) await publishPending(store, typeId)
  return commit
}

async function targetOf(
  session: WriteSession,
  type: LockedType,
  replacement: string | undefined,
): Promise<CommitTarget> {
  const isLoading = replacement !== undefined
  const table = isLoading
    ? await lockReplacement(session, type.id, replacement)
    : await readTable(session, type.tableId)
  const version = isLoading ? table.loadedAs : type.lastVersion + 1
  return { ...table, typeId: type.id, generation: type.generation, version, isLoading }
}

async function publish(
  session: WriteSession,
  { capabilities }: PostgresContext,
  { typeId, id: table, version, isLoading }: CommitTarget,
  written: Written,
): Promise<void> {
  const { put, deleted } = written
  if (put + deleted === 0) return
  if (!isLoading && capabilities.needsSeparatePublication) {
    await session.run('UPDATE oqs_object_type SET last_version = ? WHERE id = ?', [version, typeId])
    await savePending(session, { ...written, typeId, version, table })
    return
  }
  await saveTableCounts(session, { ...written, table })
  if (!isLoading) await publishVersion(session, { typeId, version, put, deleted })
}
