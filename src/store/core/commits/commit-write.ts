/**
 * The transaction that every write of objects shares: locks the type, lets the write change rows as
 * the next version, and publishes it, or leaves that to another transaction where rows become visible
 * later. Records the result under the idempotency key, and in the audit log.
 */
import { typeOutOfSync } from '../../batch-rules.ts'
import type { Commit, PutNotes } from '../../port/writes.ts'
import type { AuditMessage } from '../audit/audit-records.ts'
import { auditCommit } from '../audit/stored-audit-log.ts'
import {
  findEarlierCommit,
  type KeyMessage,
  recordCommit,
} from '../idempotency/idempotency-keys.ts'
import type { CoreSession, Operation } from '../session/session.ts'
import { countsUpdate, markUsed, publication, type TableCounts } from './commit-log.ts'
import {
  type LockedType,
  lockReplacement,
  lockType,
  readTable,
  type WriteTable,
} from './locked-type.ts'

/** A write, as plain data. */
export interface WriteMessage {
  readonly typeRid: string
  /** The generation of the catalogue that the request was validated against. */
  readonly basedOn: number
  /** The replacement to add to; undefined for the visible objects. */
  readonly replacement: string | undefined
  readonly idempotencyKey: KeyMessage | undefined
  readonly audit: AuditMessage | undefined
  readonly notes?: PutNotes | undefined
}

/** The table that a write changes, and the version of its rows. */
export interface CommitTarget extends WriteTable, Pick<LockedType, 'generation' | 'published'> {
  readonly typeId: number
  readonly lastVersion: number
  readonly version: number
  /** True for the table of a replacement, which is published later. */
  readonly isLoading: boolean
}

export interface Written extends TableCounts {
  readonly put: number
  readonly deleted: number
  readonly kept: number
  /** The number of added rows. */
  readonly added: number
  /** The first keys that were written or deleted, as many as the audit log keeps. */
  readonly keys: readonly string[]
  readonly note?: string
}

/** What a write that changes nothing has written, besides the counts of its table. */
export const NOTHING_WRITTEN = { put: 0, deleted: 0, kept: 0, added: 0, closed: 0, keys: [] }

/** The session of a commit, and how its version is published. */
export interface CommitSession {
  readonly session: CoreSession
  /** Throws if an earlier commit of a type, which is locked, is not published yet. */
  refuseUnfinished(typeId: number): Operation<void>
  /**
   * Leaves the publication to another transaction. Returns false if the rows of a commit become
   * visible with its transaction, which then publishes them.
   */
  publishLater(target: CommitTarget, written: Written): Operation<boolean>
}

/** A commit that was made before with the same idempotency key, or the target of a new one. */
export type OpenedCommit =
  | { readonly typeId: number; readonly earlier: Commit }
  | { readonly typeId: number; readonly earlier: undefined; readonly target: CommitTarget }

/** Locks the type of a write. Throws `OntologyDefinitionOutOfSync` if its definition is newer. */
export function* openCommit(commit: CommitSession, write: WriteMessage): Operation<OpenedCommit> {
  const { session } = commit
  const { typeRid, replacement, basedOn } = write
  const isLoading = replacement !== undefined
  const type = yield* lockType(session, typeRid, isLoading ? 'load' : 'commit')
  if (type === undefined) throw typeOutOfSync(typeRid)
  if (!isLoading) yield* commit.refuseUnfinished(type.id)
  // After the lock: a request with the same key that held it is committed now.
  const earlier = yield* findEarlierCommit(session, write.idempotencyKey)
  if (earlier !== undefined) return { typeId: type.id, earlier }
  if (type.generation > basedOn) throw typeOutOfSync(typeRid)
  const table = isLoading
    ? yield* lockReplacement(session, type.id, replacement)
    : yield* readTable(session, type.tableId)
  const version = isLoading ? table.loadedAs : type.lastVersion + 1
  const { id: typeId, generation, published, lastVersion } = type
  const target = { ...table, typeId, generation, published, lastVersion, version, isLoading }
  return { typeId, earlier, target }
}

/** Publishes what a write has changed, and records it. */
export function* closeCommit(
  commit: CommitSession,
  { idempotencyKey, audit, notes }: Pick<WriteMessage, 'idempotencyKey' | 'audit' | 'notes'>,
  target: CommitTarget,
  written: Written,
): Operation<Commit> {
  const { session } = commit
  const { put, deleted, kept, note = noteOfPut(notes, written.closed > 0), keys } = written
  const isChanged = put + deleted > 0
  // Here, because others do not wait for the lock that the batch has on its replacement.
  if (!isChanged && target.isLoading) yield* markUsed(session, target.id)
  if (isChanged && !(yield* commit.publishLater(target, written))) {
    const versions = [{ ...target, put, deleted, kept }]
    yield* session.runAll([
      countsUpdate(target.id, written),
      ...(target.isLoading ? [] : publication(session.dialect, target.typeId, versions)),
    ])
  }
  const version = isChanged && !target.isLoading ? target.version : target.published
  const counts = { version, put, deleted, kept }
  const done = note === undefined ? counts : { ...counts, note }
  return yield* auditCommit(
    session,
    audit,
    yield* recordCommit(session, idempotencyKey, done),
    keys,
  )
}

/** Returns the note of a write that puts one object. */
export function noteOfPut(notes: PutNotes | undefined, isReplaced: boolean): string | undefined {
  return isReplaced ? notes?.replaced : notes?.created
}
