/** The jobs of the writer thread: everything that writes. */
import { type OperationMessage, writeNamed } from '../../core/named-operations.ts'
import { runNow } from '../../core/session/operation.ts'
import { rewriteStep, runBuild } from '../construction/build-jobs.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { deleteClosedRows, removeAbandoned } from '../maintenance/reclaim-in-slices.ts'
import { commitBatch } from '../staged/commit-or-stage.ts'
import { forgetStaged, stageDelete, stageStep } from '../staged/staged-jobs.ts'
import { listStaged, undoStaged } from '../staged/undo-staged.ts'
import { applyBatch } from '../writes/commit-batch.ts'
import { applyEdit } from '../writes/commit-edit.ts'
import { deleteRows } from '../writes/delete-matches.ts'
import type { Jobs } from './thread-jobs.ts'

export const WRITE_JOBS = {
  /** Runs a transaction that both stores share. */
  runOperation: (db: WriterDatabase, message: OperationMessage): unknown =>
    inTransaction(db, 'write', () => runNow(writeNamed(db.session, message))),
  deleteClosedRows,
  removeAbandoned,
  commitBatch,
  deleteRows,
  stageDelete,
  stageStep,
  forgetStaged,
  listStaged,
  undoStaged,
  runBuild,
  rewriteStep,
} as const satisfies Jobs

/** The jobs that keep their items, and free them when they no longer need them. */
export const KEEPS_ITEMS: ReadonlySet<string> = new Set(['commitBatch'])

/** The jobs that can share a transaction, which their caller opens. */
export const GROUPED_JOBS = { commitBatch: applyBatch, commitEdit: applyEdit } as const

export type WriteJobs = typeof WRITE_JOBS
