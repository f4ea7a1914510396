/**
 * Rewrites the objects of a type into a table of the current layout, in the background. Each step is
 * a short transaction; its state is in the catalogue, so any process can continue after a crash.
 *
 * 1. The current objects are copied in key order. Their bodies are read like those of new objects.
 * 2. The indexes are built, one per step.
 * 3. Objects that were committed after they were copied are copied again, until few are left.
 * 4. The last step copies those and publishes the table as a version without changes. Snapshots of
 *    earlier versions read the earlier table until they expire.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { RewriteProgress } from '../../object-store.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { publishVersion } from '../writes/publish-version.ts'
import { copyChangedObjects, copyNextObjects, RewriteFailure } from '../writes/rewrite-objects.ts'
import { addObjectTable, createObjectTable } from './object-table.ts'
import { type Rewrite, STALE_FAILURES, TO_REWRITE } from './rewrite-states.ts'
import { buildNextIndex } from './table-indexes.ts'

/** Runs one step. Returns undefined if there is nothing to rewrite. */
export function rewriteStep(db: WriterDatabase): RewriteProgress | undefined {
  try {
    return inTransaction(db, 'write', () => runStep(db))
  } catch (error) {
    if (!(error instanceof RewriteFailure)) throw error
    return inTransaction(db, 'write', () => failRewrite(db, error.message))
  }
}

function runStep(db: WriterDatabase): RewriteProgress | undefined {
  const rewrite = findRunning(db)
  if (rewrite === undefined) return startNext(db)
  if (!rewrite.isCurrent) {
    endRewrite(db, rewrite)
    return progressOf(rewrite, 'cancelled')
  }
  switch (rewrite.phase) {
    case 'copying':
      return copyStep(db, rewrite)
    case 'indexing':
      return indexStep(db, rewrite)
    case 'catchingUp':
      return catchUpStep(db, rewrite)
  }
}

/** Starts to rewrite the next type, if there is one. */
function startNext(db: DatabaseSync): RewriteProgress | undefined {
  // Another definition may be able to read what the earlier one refused.
  db.exec(`DELETE FROM rewrite AS f WHERE EXISTS (${STALE_FAILURES} AND t.id = f.object_type_id)`)
  const row = db.prepare(`${TO_REWRITE} ORDER BY t.id LIMIT 1`).get()
  if (row === undefined) return undefined
  const typeId = Number(row['id'])
  db.prepare('UPDATE object_type SET last_version = last_version + 1 WHERE id = ?').run(typeId)
  const version = db.prepare('SELECT last_version FROM object_type WHERE id = ?').get(typeId)
  const loadedAs = Number(version?.['last_version'])
  const table = { typeId, state: 'rewriting', firstVersion: loadedAs, loadedAs } as const
  const toTable = addObjectTable(db, table)
  createObjectTable(db, { typeId, id: toTable })
  db.prepare(
    `INSERT INTO rewrite (object_type_id, from_table, to_table, generation, phase)
     SELECT id, table_id, ?, generation, 'copying' FROM object_type WHERE id = ?`,
  ).run(toTable, typeId)
  const rewrite = findRunning(db)
  return rewrite && progressOf(rewrite, 'copying')
}

function findRunning(db: DatabaseSync): Rewrite | undefined {
  const row = db
    .prepare(
      `SELECT r.object_type_id AS typeId, t.rid AS typeRid, r.from_table AS fromTable,
         r.to_table AS toTable, r.generation, r.phase, r.last_key AS lastKey, r.objects,
         copy.loaded_as AS loadedAs, original.live_count AS totalObjects,
         copy.live_count AS copiedObjects, t.last_version AS lastVersion,
         t.table_id = r.from_table AND t.generation = r.generation
           AND original.layout < copy.layout AS isCurrent
       FROM rewrite AS r JOIN object_type AS t ON t.id = r.object_type_id
       JOIN object_table AS copy ON copy.id = r.to_table
       JOIN object_table AS original ON original.id = t.table_id
       WHERE r.phase <> 'failed' ORDER BY t.id LIMIT 1`,
    )
    .get() as unknown as (Omit<Rewrite, 'isCurrent'> & { isCurrent: number }) | undefined
  return row && { ...row, isCurrent: row.isCurrent === 1 }
}

function copyStep(db: WriterDatabase, rewrite: Rewrite): RewriteProgress {
  const { copied, lastKey, isDone } = copyNextObjects(db, rewrite)
  const phase = isDone ? 'indexing' : 'copying'
  const objects = rewrite.objects + copied
  db.cached('UPDATE rewrite SET phase = ?, last_key = ?, objects = ? WHERE object_type_id = ?').run(
    phase,
    lastKey,
    objects,
    rewrite.typeId,
  )
  return progressOf({ ...rewrite, objects }, phase)
}

function indexStep(db: WriterDatabase, rewrite: Rewrite): RewriteProgress {
  if (buildNextIndex(db, rewrite.typeId, rewrite.toTable)) return progressOf(rewrite, 'indexing')
  db.cached(`UPDATE rewrite SET phase = 'catchingUp' WHERE object_type_id = ?`).run(rewrite.typeId)
  return progressOf(rewrite, 'catchingUp')
}

/** Objects that are copied again in one step; more if many are left, so that the rewrite ends. */
const CHANGES = { min: 500, max: 5000 } as const

function catchUpStep(db: WriterDatabase, rewrite: Rewrite): RewriteProgress {
  const pending = countChanges(db, rewrite)
  const limit = Math.min(CHANGES.max, Math.max(CHANGES.min, Math.ceil(pending / 4)))
  const added = copyChangedObjects(db, rewrite, limit)
  if (pending > limit) return progressOf(rewrite, 'catchingUp')
  if (rewrite.copiedObjects + added !== rewrite.totalObjects) {
    throw new RewriteFailure('the new table does not have as many objects as the earlier one')
  }
  publishRewrite(db, rewrite)
  return progressOf(rewrite, 'published')
}

function countChanges(db: DatabaseSync, { typeId }: Rewrite): number {
  const row = db
    .prepare('SELECT count(*) AS count FROM rewrite_change WHERE object_type_id = ?')
    .get(typeId)
  return Number(row?.['count'])
}

function publishRewrite(db: WriterDatabase, { typeId, toTable, lastVersion }: Rewrite): void {
  const version = lastVersion + 1
  db.prepare(`UPDATE object_table SET state = 'published', first_version = ? WHERE id = ?`).run(
    version,
    toTable,
  )
  db.prepare('UPDATE object_type SET table_id = ? WHERE id = ?').run(toTable, typeId)
  publishVersion(db, { typeId, version, put: 0, deleted: 0, kept: 0 })
  db.prepare('DELETE FROM rewrite WHERE object_type_id = ?').run(typeId)
}

/** Ends a rewrite. If its type is still of an earlier layout, it starts again. */
function endRewrite(db: DatabaseSync, { typeId, toTable }: Rewrite): void {
  db.prepare(`UPDATE object_table SET state = 'abandoned' WHERE id = ?`).run(toTable)
  db.prepare('DELETE FROM rewrite WHERE object_type_id = ?').run(typeId)
}

function failRewrite(db: DatabaseSync, reason: string): RewriteProgress | undefined {
  const rewrite = findRunning(db)
  if (rewrite === undefined) return undefined
  endRewrite(db, rewrite)
  db.prepare(
    `INSERT INTO rewrite (object_type_id, from_table, to_table, generation, phase, objects, reason)
     VALUES (?, ?, ?, ?, 'failed', ?, ?)`,
  ).run(
    rewrite.typeId,
    rewrite.fromTable,
    rewrite.toTable,
    rewrite.generation,
    rewrite.objects,
    reason,
  )
  return { ...progressOf(rewrite, 'failed'), reason }
}

function progressOf(
  { typeRid, objects, totalObjects }: Rewrite,
  phase: RewriteProgress['phase'],
): RewriteProgress {
  return { typeRid, phase, objects, totalObjects }
}
