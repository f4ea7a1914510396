/**
 * Replacements exchange all objects of a type at once. They are loaded batch by batch into a table
 * of their own; publishing only changes from which table the type is read. The name of a
 * replacement is the number of its table.
 */
import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { OPEN_REPLACEMENTS_MAX } from '../../../contract/limits.ts'
import { refuseLargeMerge, refuseOtherMode, replacementTableId } from '../../batch.ts'
import type { Commit, PublishMode } from '../../object-store.ts'
import type { AuditMessage } from '../../sql/audit-row.ts'
import type { OnceMessage } from '../../sql/once-key.ts'
import { inTransaction } from '../file/connection.ts'
import type { StagedRecord } from '../file/staged-write.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { readStaged } from '../staged/staged-record.ts'
import { recordNote } from '../writes/idempotency-keys.ts'
import { mergeCurrent } from '../writes/merge-current.ts'
import { publishVersion } from '../writes/publish-version.ts'
import { auditCommit } from './audit-records.ts'
import { addObjectTable, createObjectTable } from './object-table.ts'
import { buildIndexes, buildNextIndex, withSortingThread } from './table-indexes.ts'

export interface ReplacementOfType {
  readonly typeRid: string
  readonly replacement: string
}

/**
 * Starts a replacement. Its rows get a version that is allocated now, because the version of the
 * publication is not known yet, and writing it into every row at the end would take too long. The
 * table is created with the first object: each table changes the schema, which every connection has
 * to read again.
 */
export function startReplacement(
  db: WriterDatabase,
  { typeRid, once }: { readonly typeRid: string; readonly once: OnceMessage | undefined },
): string {
  return inTransaction(db, 'write', () => {
    const { id: typeId, apiName, lastVersion } = readType(db, typeRid)
    refuseTooMany(db, typeId, apiName)
    const loadedAs = lastVersion + 1
    db.prepare('UPDATE oqs_object_type SET last_version = ? WHERE id = ?').run(loadedAs, typeId)
    const table = { typeId, state: 'loading', firstVersion: loadedAs, loadedAs } as const
    const name = String(addObjectTable(db, table))
    recordNote(db, once && { ...once, note: name })
    return name
  })
}

function refuseTooMany(db: DatabaseSync, typeId: number, objectType: string): void {
  const row = db
    .prepare(
      `SELECT count(*) AS count FROM oqs_object_table WHERE object_type_id = ? AND state = 'loading'`,
    )
    .get(typeId)
  if (Number(row?.['count']) < OPEN_REPLACEMENTS_MAX) return
  throw new ObjectQueryError('ReplacementsExceededLimit', {
    objectType,
    replacementsLimit: OPEN_REPLACEMENTS_MAX,
  })
}

/** SQL assignments that mark a replacement as used; maintenance then restarts its idle time. */
export const TOUCH = 'use_count = use_count + 1, idle_since_ms = NULL'

/** True if maintenance has marked a replacement as idle. */
export function isIdleReplacement(statements: StatementCache, replacement: string): boolean {
  const sql = 'SELECT 1 FROM oqs_object_table WHERE id = ? AND idle_since_ms IS NOT NULL'
  return statements.prepare(sql).get(replacementTableId(replacement)) !== undefined
}

/** Keeps a replacement from expiring while its next batch arrives. */
export function touchReplacement(db: DatabaseSync, replacement: string): void {
  db.prepare(`UPDATE oqs_object_table SET ${TOUCH} WHERE id = ? AND state = 'loading'`).run(
    replacementTableId(replacement),
  )
}

/** Builds one missing index of a replacement. Returns false if there is none. */
export function indexReplacement(db: WriterDatabase, target: Publication): boolean {
  return inTransaction(db, 'write', () => {
    const type = readType(db, target.typeRid)
    if (findPublished(db, type.id, target) !== undefined) return false
    const { id, isCreated, rowCount } = findReplacement(db, type.id, target.replacement)
    // A replacement that is being published is not idle.
    touchReplacement(db, target.replacement)
    return isCreated && withSortingThread(db, rowCount, () => buildNextIndex(db, type.id, id))
  })
}

export interface Publication extends ReplacementOfType {
  readonly mode: PublishMode
  readonly audit?: AuditMessage | undefined
}

/**
 * Makes the replacement visible instead of the earlier objects; `put` and `deleted` count both.
 * Idempotent: publishing again, after a lost response, returns the same result. Throws
 * `ReplacementAlreadyPublished` if it was published in another mode.
 */
export function publishReplacement(
  db: WriterDatabase,
  target: Publication,
): Commit | { readonly blockedBy: StagedRecord } {
  return inTransaction(db, 'write', () => {
    const type = readType(db, target.typeRid)
    const done = findPublished(db, type.id, target)
    if (done !== undefined) return done
    const table = findReplacement(db, type.id, target.replacement)
    // Another process writes a batch to the replacement, or did not complete it.
    const blockedBy = readStaged(db, table.id)
    if (blockedBy !== undefined) return { blockedBy }
    // A change of the definition may have added an index meanwhile.
    while (table.isCreated && buildNextIndex(db, type.id, table.id));
    const { put, deleted, kept } = countChanges(db, target, type, table)
    const version = type.lastVersion + 1
    db.prepare(
      `UPDATE oqs_object_table SET state = 'published', first_version = ?, publish_mode = ? WHERE id = ?`,
    ).run(version, target.mode, table.id)
    db.prepare('UPDATE oqs_object_type SET table_id = ? WHERE id = ?').run(table.id, type.id)
    publishVersion(db, { typeId: type.id, version, put, deleted, kept })
    return auditCommit(db, target.audit, { version, put, deleted, kept })
  })
}

/** Returns what a publication changes, after adding the objects that it must not delete. */
function countChanges(
  db: WriterDatabase,
  { mode }: Publication,
  type: ReturnType<typeof readType>,
  table: LoadingTable,
): Pick<Commit, 'put' | 'deleted' | 'kept'> {
  if (mode === 'replace') return { put: table.liveCount, deleted: type.liveCount, kept: 0 }
  if (type.liveCount === 0) return { put: table.liveCount, deleted: 0, kept: 0 }
  refuseLargeMerge(type.liveCount)
  if (!table.isCreated) createObjectTable(db, { typeId: type.id, id: table.id })
  const { added, kept, maxRecordBytes } = mergeCurrent(db, {
    typeId: type.id,
    from: type.tableId,
    to: table.id,
    version: table.loadedAs,
    keepsExisting: mode === 'append',
  })
  if (!table.isCreated) buildIndexes(db, type.id, table.id)
  db.prepare(
    `UPDATE oqs_object_table
     SET live_count = live_count + ?, max_record_bytes = max(max_record_bytes, ?) WHERE id = ?`,
  ).run(added, maxRecordBytes, table.id)
  return { put: table.liveCount - kept, deleted: 0, kept }
}

/** Returns the result of an earlier publication, until its version expires. */
function findPublished(db: DatabaseSync, typeId: number, target: Publication): Commit | undefined {
  const row = db
    .prepare(
      `SELECT version, put, deleted, kept, publish_mode FROM oqs_object_table AS o JOIN oqs_commit_log AS l
         ON l.object_type_id = o.object_type_id AND l.version = o.first_version
       WHERE o.id = ? AND o.object_type_id = ? AND o.state = 'published' AND o.loaded_as < o.first_version`,
    )
    .get(replacementTableId(target.replacement), typeId)
  if (row === undefined) return undefined
  refuseOtherMode(target, row['publish_mode'] as PublishMode | null)
  const { version, put, deleted, kept } = row as unknown as Commit
  return { version, put, deleted, kept }
}

/** Abandons a replacement; reclaim removes its rows. */
export function abandonReplacement(db: DatabaseSync, target: ReplacementOfType): void {
  inTransaction(db, 'write', () => {
    const { id } = findReplacement(db, readType(db, target.typeRid).id, target.replacement)
    db.prepare(`UPDATE oqs_object_table SET state = 'abandoned' WHERE id = ?`).run(id)
  })
}

interface LoadingTable {
  readonly id: number
  readonly loadedAs: number
  readonly liveCount: number
  readonly maxRecordBytes: number
  /** False until the first object is written. */
  readonly isCreated: boolean
  readonly rowCount: number
}

export function findReplacement(
  db: DatabaseSync,
  typeId: number,
  replacement: string,
): LoadingTable {
  const row = db
    .prepare(
      `SELECT id, loaded_as, live_count, max_record_bytes, is_created FROM oqs_object_table
       WHERE id = ? AND object_type_id = ? AND state = 'loading'`,
    )
    .get(replacementTableId(replacement), typeId)
  if (row === undefined) throw new ObjectQueryError('ReplacementNotFound', { replacement })
  return {
    id: Number(row['id']),
    loadedAs: Number(row['loaded_as']),
    liveCount: Number(row['live_count']),
    maxRecordBytes: Number(row['max_record_bytes']),
    isCreated: row['is_created'] === 1,
    rowCount: Number(row['live_count']),
  }
}

function readType(db: DatabaseSync, typeRid: string) {
  const row = db
    .prepare(
      `SELECT t.id, t.definition ->> 'apiName' AS api_name, t.last_version, t.table_id, o.live_count
       FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id WHERE t.rid = ?`,
    )
    .get(typeRid)
  // Another process may have dropped the type since the catalogue was read.
  if (row === undefined) throw new ObjectQueryError('ObjectTypeNotFound', { objectType: typeRid })
  return {
    id: Number(row['id']),
    apiName: String(row['api_name']),
    lastVersion: Number(row['last_version']),
    tableId: Number(row['table_id']),
    liveCount: Number(row['live_count']),
  }
}
