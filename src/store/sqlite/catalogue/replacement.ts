import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { OPEN_REPLACEMENTS_MAX } from '../../../contract/limits.ts'
import type { Commit } from '../../object-store.ts'
import { inTransaction } from '../file/connection.ts'
import { publishVersion } from '../writes/publish-version.ts'
import { addObjectTable, buildNextIndex } from './object-table.ts'

/**
 * Replacements: all objects of a type exchanged for others at one moment. They are loaded into a
 * table of their own, batch by batch, whatever the size; publishing only says from which version
 * on the type is read from there. The name of a replacement is the number of its table.
 */

export interface ReplacementOfType {
  readonly typeRid: string
  readonly replacement: string
}

/**
 * The rows of a replacement carry a version of their own, given out now: which version they will
 * be published as is not known before the end, and is not written into every row then. The table is
 * made with the first object: each one is a change of the schema, which every connection reads again.
 */
export function startReplacement(
  db: DatabaseSync,
  { typeRid }: { readonly typeRid: string },
): string {
  return inTransaction(db, 'write', () => {
    const { id: typeId, apiName, lastVersion } = readType(db, typeRid)
    refuseTooMany(db, typeId, apiName)
    const loadedAs = lastVersion + 1
    db.prepare('UPDATE object_type SET last_version = ? WHERE id = ?').run(loadedAs, typeId)
    const table = { typeId, state: 'loading', firstVersion: loadedAs, loadedAs } as const
    return String(addObjectTable(db, table))
  })
}

function refuseTooMany(db: DatabaseSync, typeId: number, objectType: string): void {
  const row = db
    .prepare(
      `SELECT count(*) AS count FROM object_table WHERE object_type_id = ? AND state = 'loading'`,
    )
    .get(typeId)
  if (Number(row?.['count']) < OPEN_REPLACEMENTS_MAX) return
  throw new ObjectQueryError('ReplacementsExceededLimit', {
    objectType,
    replacementsLimit: OPEN_REPLACEMENTS_MAX,
  })
}

/** Assignments that tell maintenance that a replacement is in use; what it saw before is void. */
export const TOUCH = 'touches = touches + 1, idle_since_ms = NULL'

/** Touches a replacement whose next batch is arriving, so that it does not expire meanwhile. */
export function touchReplacement(db: DatabaseSync, replacement: string): void {
  db.prepare(`UPDATE object_table SET ${TOUCH} WHERE id = ? AND state = 'loading'`).run(
    Number(replacement),
  )
}

/** Builds one of the indexes that readers need; false when all are there. */
export function indexReplacement(db: DatabaseSync, wish: ReplacementOfType): boolean {
  return inTransaction(db, 'write', () => {
    const type = readType(db, wish.typeRid)
    if (findPublished(db, type.id, wish.replacement) !== undefined) return false
    const { id, isCreated: isMade } = findReplacement(db, type.id, wish.replacement)
    // What is being published is not idle.
    touchReplacement(db, wish.replacement)
    return isMade && buildNextIndex(db, type.id, id)
  })
}

/**
 * Lets readers see the replacement instead of what the type held; `put` and `deleted` tell both.
 * Asked once more, because the first answer was lost, it answers the same.
 */
export function publishReplacement(db: DatabaseSync, wish: ReplacementOfType): Commit {
  return inTransaction(db, 'write', () => {
    const type = readType(db, wish.typeRid)
    const done = findPublished(db, type.id, wish.replacement)
    if (done !== undefined) return done
    const table = findReplacement(db, type.id, wish.replacement)
    // A definition that changed since the last look may have brought another one.
    while (table.isCreated && buildNextIndex(db, type.id, table.id));
    const version = type.lastVersion + 1
    db.prepare(`UPDATE object_table SET state = 'published', first_version = ? WHERE id = ?`).run(
      version,
      table.id,
    )
    db.prepare('UPDATE object_type SET table_id = ? WHERE id = ?').run(table.id, type.id)
    const counts = { put: table.liveCount, deleted: type.liveCount }
    publishVersion(db, { typeId: type.id, version, ...counts })
    return { version, ...counts, kept: 0 }
  })
}

/** What the publication of a replacement did, for as long as that version is remembered. */
function findPublished(db: DatabaseSync, typeId: number, replacement: string): Commit | undefined {
  const row = db
    .prepare(
      `SELECT version, put, deleted FROM object_table AS o JOIN commit_log AS l
         ON l.object_type_id = o.object_type_id AND l.version = o.first_version
       WHERE o.id = ? AND o.object_type_id = ? AND o.state = 'published' AND o.loaded_as < o.first_version`,
    )
    .get(Number(replacement), typeId)
  if (row === undefined) return undefined
  const [version, put, deleted] = [row['version'], row['put'], row['deleted']].map(Number)
  return { version: version ?? 0, put: put ?? 0, deleted: deleted ?? 0, kept: 0 }
}

/** Gives a replacement up; reclaiming removes what was loaded. */
export function abandonReplacement(db: DatabaseSync, wish: ReplacementOfType): void {
  inTransaction(db, 'write', () => {
    const { id } = findReplacement(db, readType(db, wish.typeRid).id, wish.replacement)
    db.prepare(`UPDATE object_table SET state = 'abandoned' WHERE id = ?`).run(id)
  })
}

interface LoadingTable {
  readonly id: number
  readonly loadedAs: number
  readonly liveCount: number
  readonly maxRecordBytes: number
  /** Whether the table is there: it is made with the first object. */
  readonly isCreated: boolean
}

export function findReplacement(
  db: DatabaseSync,
  typeId: number,
  replacement: string,
): LoadingTable {
  const row = db
    .prepare(
      `SELECT id, loaded_as, live_count, max_record_bytes, is_made FROM object_table
       WHERE id = ? AND object_type_id = ? AND state = 'loading'`,
    )
    .get(Number(replacement), typeId)
  if (row === undefined) throw new ObjectQueryError('ReplacementNotFound', { replacement })
  return {
    id: Number(row['id']),
    loadedAs: Number(row['loaded_as']),
    liveCount: Number(row['live_count']),
    maxRecordBytes: Number(row['max_record_bytes']),
    isCreated: row['is_made'] === 1,
  }
}

function readType(db: DatabaseSync, typeRid: string) {
  const row = db
    .prepare(
      `SELECT t.id, t.definition ->> 'apiName' AS api_name, t.last_version, o.live_count
       FROM object_type AS t JOIN object_table AS o ON o.id = t.table_id WHERE t.rid = ?`,
    )
    .get(typeRid)
  // Another process may have dropped the type since the catalogue was read.
  if (row === undefined) throw new ObjectQueryError('ObjectTypeNotFound', { objectType: typeRid })
  return {
    id: Number(row['id']),
    apiName: String(row['api_name']),
    lastVersion: Number(row['last_version']),
    liveCount: Number(row['live_count']),
  }
}
