/** The staged writes that the writer thread carries out, and their steps. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { ReceivedChange } from '../changes/received-change.ts'
import { inTransaction } from '../file/connection.ts'
import type { StepOutcome } from '../file/staged-write.ts'
import { type SliceOptions, startSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import type { DeleteMessage } from '../writes/delete-matches.ts'
import { StagedBatch, type StagedBatchMessage } from './staged-batch.ts'
import { StagedDelete } from './staged-delete.ts'

/** Receives a batch, which `stageStep` then writes. */
export function stageBatch(
  db: WriterDatabase,
  batch: StagedBatchMessage,
  changes: readonly ReceivedChange[],
  free: () => void,
): void {
  db.stagedWrites.set(batch.owner, new StagedBatch(batch, changes, free))
}

/** Receives the rows of a deletion, which `stageStep` then closes. */
export function stageDelete(
  db: WriterDatabase,
  message: DeleteMessage & { readonly owner: string },
): void {
  db.stagedWrites.set(message.owner, new StagedDelete(message))
}

export interface StepMessage extends SliceOptions {
  readonly owner: string
}

/** Runs the next step of a staged write in a transaction of its own. */
export function stageStep(db: WriterDatabase, { owner, ...options }: StepMessage): StepOutcome {
  const write = db.stagedWrites.get(owner)
  if (write === undefined) {
    const reason = 'the writer thread was restarted; nothing of this batch was written'
    throw new ObjectQueryError('ServiceUnavailable', { reason })
  }
  return db.withoutCheckpoint(() =>
    inTransaction(db, 'write', () => write.step(db, startSlice(options))),
  )
}

/** Forgets a staged write. What it has written is not undone. */
export function forgetStaged(db: WriterDatabase, owner: string): void {
  db.stagedWrites.get(owner)?.free()
  db.stagedWrites.delete(owner)
}
