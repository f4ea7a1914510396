/**
 * Replacements exchange all objects of a type at once. They are loaded batch by batch into a table
 * of their own; publishing only changes from which table the type is read. The name of a
 * replacement is the number of its table.
 */

import { ObjectQueryError } from '../../../contract/errors.ts'
import { OPEN_REPLACEMENTS_MAX } from '../../../contract/limits.ts'
import { refuseOtherMode, replacementTableId } from '../../batch-rules.ts'
import type { Commit, PublishMode } from '../../port/writes.ts'
import type { AuditMessage } from '../audit/audit-records.ts'
import { auditCommit } from '../audit/stored-audit-log.ts'
import { buildIndexes, buildNextIndex } from '../catalogue/build-table.ts'
import { type LockedType, lockReplacement, type TypeLock } from '../commits/locked-type.ts'
import { type KeyMessage, recordNote } from '../idempotency/idempotency-keys.ts'
import { IN_USE } from '../maintenance/version-times.ts'
import {
  type CoreSession,
  integer,
  type Operation,
  optional,
  type ReadSession,
  text,
  word,
} from '../session/session.ts'
import type { WriteOperation } from '../session/store-operations.ts'
import {
  addTable,
  type BuildOperation,
  type LoadingTable,
  lockType,
  publishTable,
  type StagedRecord,
  type TableBuilder,
} from './construction.ts'
import { mergeCurrent } from './merge-current.ts'

export interface ReplacementOfType {
  readonly typeRid: string
  readonly replacement: string
}

export interface NewReplacement {
  readonly typeRid: string
  readonly idempotencyKey: KeyMessage | undefined
}

/**
 * Starts a replacement, and returns its name. Its table is created with the first object: an
 * ontology can have many unused types, and each table has a cost.
 */
export const startReplacement: BuildOperation<NewReplacement, string> = {
  name: 'startReplacement',
  *run(builder, { typeRid, idempotencyKey }) {
    // The lock also makes the count exact: replacements of a type are started one by one.
    const { id: typeId } = yield* lockExistingType(builder, typeRid, 'commit')
    yield* refuseTooMany(builder.session, typeId)
    const name = String(yield* addTable(builder, typeId, 'loading'))
    yield* recordNote(builder.session, idempotencyKey && { ...idempotencyKey, note: name })
    return name
  },
}

function* refuseTooMany(session: CoreSession, typeId: number): Operation<void> {
  const open = yield* session.find(
    `SELECT ${session.dialect.member('t.definition', 'apiName')}, (
       SELECT count(*) FROM oqs_object_table AS o
       WHERE o.object_type_id = t.id AND o.state = 'loading'
     ) FROM oqs_object_type AS t WHERE t.id = ?`,
    [typeId],
    { objectType: text, count: integer },
  )
  if (open === undefined || open.count < OPEN_REPLACEMENTS_MAX) return
  throw new ObjectQueryError('ReplacementsExceededLimit', {
    objectType: open.objectType,
    replacementsLimit: OPEN_REPLACEMENTS_MAX,
  })
}

/** Another process may have dropped the type since the catalogue was read. */
function* lockExistingType(
  builder: TableBuilder,
  typeRid: string,
  lock: TypeLock,
): Operation<LockedType> {
  const type = yield* lockType(builder, typeRid, lock)
  if (type === undefined) throw new ObjectQueryError('ObjectTypeNotFound', { objectType: typeRid })
  return type
}

/** Returns the table of a replacement while no batch is written to it; undefined once published. */
function* readLoading(
  builder: TableBuilder,
  target: Publication,
): Operation<LoadingTable | undefined> {
  const { id: typeId } = yield* lockExistingType(builder, target.typeRid, 'load')
  if ((yield* findPublished(builder.session, target)) !== undefined) return undefined
  try {
    return { ...(yield* lockReplacement(builder.session, typeId, target.replacement)), typeId }
  } catch (error) {
    // Another request publishes it.
    yield* builder.refuseUnfinished(typeId)
    throw error
  }
}

/** True if maintenance has marked a replacement as idle. */
export function* isIdleReplacement(session: ReadSession, replacement: string): Operation<boolean> {
  const idle = yield* session.find(
    'SELECT id FROM oqs_object_table WHERE id = ? AND idle_since_ms IS NOT NULL',
    [replacementTableId(replacement)],
    { id: integer },
    { isPrepared: true },
  )
  return idle !== undefined
}

/**
 * Keeps a replacement from expiring while its next batch arrives, which may take minutes. A
 * replacement whose row is locked is in use anyway.
 */
export const touchReplacement: WriteOperation<string, void> = {
  name: 'touchReplacement',
  *run(session, replacement) {
    const { skipLocked } = session.dialect.lock
    yield* session.run(
      `UPDATE oqs_object_table SET ${IN_USE} WHERE id IN (
         SELECT id FROM oqs_object_table WHERE id = ? AND state = 'loading'${skipLocked})`,
      [replacementTableId(replacement)],
    )
  },
}

export interface Publication extends ReplacementOfType {
  readonly mode: PublishMode
  readonly audit?: AuditMessage | undefined
}

/** The write to a replacement that must end before it can be published. */
export interface Blocked {
  readonly blockedBy: StagedRecord
}

interface IndexedReplacement extends Publication {
  /** The names of indexes that another connection builds at the same time. */
  readonly builtBeside?: readonly string[]
}

/** Builds one missing index, or, once there is none, updates the statistics and returns false. */
export const indexReplacement: BuildOperation<IndexedReplacement, boolean> = {
  name: 'indexReplacement',
  *run(builder, { builtBeside = [], ...target }) {
    const loading = yield* readLoading(builder, target)
    if (loading === undefined) return false
    // A replacement that is being published is not idle.
    yield* touchReplacement.run(builder.session, target.replacement)
    if (!loading.isCreated) return false
    if (yield* buildNextIndex(builder, loading, builtBeside)) return true
    // The statistics wait for all indexes, because they lock the table against building one.
    if (builtBeside.length === 0) yield* builder.analyze(loading)
    return false
  },
}

/**
 * Makes a replacement visible instead of the earlier objects; `put` and `deleted` count both.
 * Idempotent: publishing again, after a lost response, returns the same result. Throws
 * `ReplacementAlreadyPublished` if it was published in another mode.
 */
export const publishReplacement: BuildOperation<Publication, Commit | Blocked> = {
  name: 'publishReplacement',
  *run(builder, target) {
    const { session } = builder
    const type = yield* lockExistingType(builder, target.typeRid, 'change')
    // After the lock: a concurrent request may have published it.
    const done = yield* findPublished(session, target)
    if (done !== undefined) return done
    const table = yield* lockReplacement(session, type.id, target.replacement)
    const blockedBy = yield* builder.findUnfinished(table.id)
    if (blockedBy !== undefined) return { blockedBy }
    const loaded = { ...table, typeId: type.id }
    const counts = yield* mergeCurrent(builder, type, loaded, target.mode)
    // Those of objects that were merged, and of fields that were added meanwhile.
    if (counts.isCreated) yield* buildIndexes(builder, loaded)
    const { put, deleted, kept } = counts
    const publishing = { lastVersion: type.lastVersion, put, deleted, kept, mode: target.mode }
    const version = builder.separately
      ? yield* builder.separately.publish(loaded, publishing)
      : yield* publishTable(session, loaded, publishing)
    return yield* auditCommit(session, target.audit, { version, put, deleted, kept })
  },
}

/** Returns the result of an earlier publication, until its version expires. */
function* findPublished(session: ReadSession, target: Publication): Operation<Commit | undefined> {
  const found = yield* session.find(
    `SELECT o.publish_mode, l.version, l.put, l.deleted, l.kept
     FROM oqs_object_type AS t
     JOIN oqs_object_table AS o ON o.object_type_id = t.id
     JOIN oqs_commit_log AS l ON l.object_type_id = t.id AND l.version = o.first_version
     WHERE t.rid = ? AND o.id = ? AND o.state = 'published' AND o.loaded_as < o.first_version`,
    [target.typeRid, replacementTableId(target.replacement)],
    {
      mode: optional(word<PublishMode>),
      version: integer,
      put: integer,
      deleted: integer,
      kept: integer,
    },
  )
  if (found === undefined) return undefined
  const { mode, ...commit } = found
  refuseOtherMode(target, mode)
  return commit
}

/** Abandons a replacement; reclaim removes its rows. */
export const abandonReplacement: BuildOperation<ReplacementOfType, void> = {
  name: 'abandonReplacement',
  *run(builder, { typeRid, replacement }) {
    const { session } = builder
    const type = yield* lockExistingType(builder, typeRid, 'load')
    const { id } = yield* lockReplacement(session, type.id, replacement)
    yield* session.run(`UPDATE oqs_object_table SET state = 'abandoned' WHERE id = ?`, [id])
  },
}

export const REPLACEMENT_BUILDS = [
  startReplacement,
  indexReplacement,
  publishReplacement,
  abandonReplacement,
] as const
