/**
 * Rewrites the objects of a type into a new table, in the background: into the current layout, or for
 * a changed definition, see change-step.ts. Each step is a short transaction; its state is in the
 * catalogue, so any process can continue after a crash.
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
import { ChangeFailure, changeStep } from './change-step.ts'
import { RewriteFailure, unchangedConversion } from './copy-objects.ts'
import { failChange, findRunningChanges } from './definition-change.ts'
import {
  catchUp,
  copyStep,
  endRewrite,
  indexStep,
  progressOf,
  publishCopies,
  startCopies,
} from './rewrite-phases.ts'
import { findRewrites, type Rewrite, STALE_FAILURES, TO_REWRITE } from './rewrite-states.ts'

/**
 * Runs one step. Returns undefined if there is nothing to rewrite. A step that throws is rolled back
 * and does not hold up other rewrites; its error is thrown if none of them goes on.
 */
export function rewriteStep(db: WriterDatabase): RewriteProgress | undefined {
  const changes = findRunningChanges(db).map(
    ({ id }) =>
      () =>
        changeStep(db, id),
  )
  const errors: unknown[] = []
  for (const step of [...changes, () => runStep(db)]) {
    try {
      const progress = tryStep(db, step)
      if (progress !== undefined) return progress
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return undefined
}

function tryStep(
  db: WriterDatabase,
  step: () => RewriteProgress | undefined,
): RewriteProgress | undefined {
  try {
    return inTransaction(db, 'write', step)
  } catch (error) {
    if (error instanceof ChangeFailure) {
      return inTransaction(db, 'write', () => failChange(db, error))
    }
    if (!(error instanceof RewriteFailure)) throw error
    return inTransaction(db, 'write', () => failRewrite(db, error.message))
  }
}

function runStep(db: WriterDatabase): RewriteProgress | undefined {
  const rewrite = findRunning(db)
  if (rewrite === undefined) return startNext(db)
  if (!rewrite.isCurrent) {
    // If its type is still of an older layout, it starts again.
    endRewrite(db, rewrite)
    return progressOf(rewrite, 'cancelled')
  }
  switch (rewrite.phase) {
    case 'copying':
      return copyStep(db, rewrite, unchangedConversion(db, rewrite))
    case 'indexing':
      return indexStep(db, rewrite)
    case 'catchingUp':
      return catchUpStep(db, rewrite)
  }
}

/** Starts to rewrite the next type, if there is one. */
function startNext(db: WriterDatabase): RewriteProgress | undefined {
  // Another definition may be able to read what the earlier one refused.
  db.exec(
    `DELETE FROM oqs_rewrite AS f WHERE EXISTS (${STALE_FAILURES} AND t.id = f.object_type_id)`,
  )
  const row = db.prepare(`${TO_REWRITE} ORDER BY t.id LIMIT 1`).get()
  if (row === undefined) return undefined
  startCopies(db, Number(row['id']))
  const rewrite = findRunning(db)
  return rewrite && progressOf(rewrite, 'copying')
}

function findRunning(db: DatabaseSync): Rewrite | undefined {
  return findRewrites(db, { ontologyRid: undefined })[0]
}

function catchUpStep(db: WriterDatabase, rewrite: Rewrite): RewriteProgress {
  if (!catchUp(db, rewrite, unchangedConversion(db, rewrite))) {
    return progressOf(rewrite, 'catchingUp')
  }
  publishCopies(db, rewrite, 0)
  return progressOf(rewrite, 'published')
}

function failRewrite(db: DatabaseSync, reason: string): RewriteProgress | undefined {
  const rewrite = findRunning(db)
  if (rewrite === undefined) return undefined
  endRewrite(db, rewrite)
  db.prepare(
    `INSERT INTO oqs_rewrite (object_type_id, source_id, table_id, generation, phase, objects, reason)
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
