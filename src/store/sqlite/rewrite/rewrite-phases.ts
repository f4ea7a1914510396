/** The phases that all rewrites have in common, see rewrite-step.ts and change-step.ts. */
import type { DatabaseSync } from 'node:sqlite'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { RewriteProgress } from '../../object-store.ts'
import { addObjectTable, createObjectTable, numberTableFields } from '../catalogue/object-table.ts'
import { buildIndexes, buildNextIndex } from '../catalogue/table-indexes.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { publishVersion } from '../writes/publish-version.ts'
import {
  type Conversion,
  copyChangedObjects,
  copyNextObjects,
  RewriteFailure,
} from './copy-objects.ts'
import type { Rewrite } from './rewrite-states.ts'

/** The change of a definition that copies are made for, and the type as it defines it. */
interface CopiesForChange {
  readonly id: string
  readonly type: ObjectType
}

/**
 * Adds an empty table for the copies of a type, with a version that is reserved now. Their definition
 * is the current one, unless they are made for a change.
 */
export function startCopies(db: WriterDatabase, typeId: number, change?: CopiesForChange): void {
  db.prepare('UPDATE oqs_object_type SET last_version = last_version + 1 WHERE id = ?').run(typeId)
  const version = db.prepare('SELECT last_version FROM oqs_object_type WHERE id = ?').get(typeId)
  const loadedAs = Number(version?.['last_version'])
  const table = { typeId, state: 'rewriting', firstVersion: loadedAs, loadedAs } as const
  const id = addObjectTable(db, table)
  if (change !== undefined) {
    createIfMissing(db, typeId)
    numberTableFields(db, id, change.type)
  }
  createObjectTable(db, { typeId, id })
  db.prepare(
    `INSERT INTO oqs_rewrite (object_type_id, source_id, table_id, generation, phase, change_id)
     SELECT id, table_id, ?, generation, 'copying', ? FROM oqs_object_type WHERE id = ?`,
  ).run(id, change?.id ?? null, typeId)
}

/** A type without objects may not have its table yet, from which the copies are made. */
function createIfMissing(db: WriterDatabase, typeId: number): void {
  const row = db
    .prepare(
      `SELECT o.id, o.is_created FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
       WHERE t.id = ?`,
    )
    .get(typeId)
  if (row?.['is_created'] === 1) return
  const id = Number(row?.['id'])
  createObjectTable(db, { typeId, id })
  buildIndexes(db, typeId, id)
}

/** Ends a rewrite; reclaim removes the copies. */
export function endRewrite(
  db: DatabaseSync,
  { typeId, toTable }: Pick<Rewrite, 'typeId' | 'toTable'>,
): void {
  db.prepare(`UPDATE oqs_object_table SET state = 'abandoned' WHERE id = ?`).run(toTable)
  db.prepare('DELETE FROM oqs_table_field WHERE table_id = ?').run(toTable)
  db.prepare('DELETE FROM oqs_rewrite WHERE object_type_id = ?').run(typeId)
}

export function copyStep(
  db: WriterDatabase,
  rewrite: Rewrite,
  conversion: Conversion,
): RewriteProgress {
  const { copied, lastKey, isDone } = copyNextObjects(db, rewrite, conversion)
  const phase = isDone ? 'indexing' : 'copying'
  const objects = rewrite.objects + copied
  db.cached(
    'UPDATE oqs_rewrite SET phase = ?, copied_to = ?, objects = ? WHERE object_type_id = ?',
  ).run(phase, lastKey, objects, rewrite.typeId)
  return progressOf({ ...rewrite, objects }, phase)
}

export function indexStep(db: WriterDatabase, rewrite: Rewrite): RewriteProgress {
  if (buildNextIndex(db, rewrite.typeId, rewrite.toTable)) return progressOf(rewrite, 'indexing')
  db.cached(`UPDATE oqs_rewrite SET phase = 'catchingUp' WHERE object_type_id = ?`).run(
    rewrite.typeId,
  )
  return progressOf(rewrite, 'catchingUp')
}

/** Objects that are copied again in one step; more if many are left, so that the rewrite ends. */
const CHANGES = { min: 500, max: 2000 } as const

/** Copies changed objects again. Returns false if more are left than should be copied at once. */
export function catchUp(db: WriterDatabase, rewrite: Rewrite, conversion: Conversion): boolean {
  const pending = countChanges(db, rewrite)
  const limit = Math.min(CHANGES.max, Math.max(CHANGES.min, Math.ceil(pending / 4)))
  const added = copyChangedObjects(db, rewrite, conversion, limit)
  if (pending > limit) return false
  if (conversion.unfit.length === 0 && rewrite.copiedObjects + added !== rewrite.totalObjects) {
    throw new RewriteFailure('the new table does not have as many objects as the earlier one')
  }
  return true
}

/** True if more objects have changed than should be copied again at once. */
export function hasManyChanges(db: DatabaseSync, rewrite: Rewrite): boolean {
  return countChanges(db, rewrite) > CHANGES.min
}

function countChanges(db: DatabaseSync, { typeId }: Rewrite): number {
  const row = db
    .prepare('SELECT count(*) AS count FROM oqs_rewrite_key WHERE object_type_id = ?')
    .get(typeId)
  return Number(row?.['count'])
}

/** Makes the copies the newest version of their type. */
export function publishCopies(
  db: WriterDatabase,
  { typeId, toTable, lastVersion }: Rewrite,
  put: number,
): void {
  const version = lastVersion + 1
  db.prepare(`UPDATE oqs_object_table SET state = 'published', first_version = ? WHERE id = ?`).run(
    version,
    toTable,
  )
  db.prepare('UPDATE oqs_object_type SET table_id = ? WHERE id = ?').run(toTable, typeId)
  publishVersion(db, { typeId, version, put, deleted: 0, kept: 0 })
  db.prepare('DELETE FROM oqs_rewrite WHERE object_type_id = ?').run(typeId)
}

export function progressOf(
  { typeRid, ontologyRid, objects, totalObjects, isChange }: Rewrite,
  phase: RewriteProgress['phase'],
): RewriteProgress {
  return { typeRid, ...(isChange ? { ontologyRid } : {}), phase, objects, totalObjects }
}
