/** Commits a batch in one transaction, or stages it if that would take too long. */
import type { Commit } from '../../object-store.ts'
import type { ReceivedChange } from '../changes/received-change.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { applyBatch, TakesLong } from '../writes/commit-batch.ts'
import type { StagedBatchMessage } from './staged-batch.ts'
import { stageBatch } from './staged-jobs.ts'

/** The largest length of a batch that is committed in one transaction: about 100 ms. */
const MAX_LENGTH = 500_000

export interface CommitMessage extends StagedBatchMessage {
  /** A batch with more changes is staged. */
  readonly maxChanges: number
}

/** Returns the commit, or undefined if the batch is staged, so that `stageStep` writes it. */
export function commitBatch(
  db: WriterDatabase,
  batch: CommitMessage,
  changes: readonly ReceivedChange[],
  free: () => void,
): Commit | undefined {
  // Batches of a replacement are written one after the other, which staged ones are.
  const isStaged = batch.replacement !== undefined || changes.length > batch.maxChanges
  try {
    if (!isStaged) {
      const commit = inTransaction(db, 'write', () => applyBatch(db, batch, changes, MAX_LENGTH))
      free()
      return commit
    }
  } catch (error) {
    if (!(error instanceof TakesLong)) {
      free()
      throw error
    }
  }
  stageBatch(db, batch, changes, free)
  return undefined
}
