/** The jobs of the writer thread: everything that writes. */

import { rewriteNext } from '../../core/changes/change-step.ts'
import { buildNamed, type OperationMessage, writeNamed } from '../../core/named-operations.ts'
import { type Operation, runNow, settled } from '../../core/session/session.ts'
import { RolledBack, type TableBuilder } from '../../core/tables/construction.ts'
import type { RewriteProgress } from '../../port/maintenance.ts'
import { SqliteTableBuilder } from '../construction/sqlite-table-builder.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { deleteClosedRows, removeAbandoned } from '../maintenance/reclaim-in-slices.ts'
import { commitBatch, forgetStaged, stageDelete, stageStep } from '../staged/staged-jobs.ts'
import { undoStaged } from '../staged/undo-staged.ts'
import { applyTransactions } from '../writes/apply-transactions.ts'
import { applyBatch, applyEdit } from '../writes/commit-batch.ts'
import { deleteRows } from '../writes/delete-matches.ts'
import { listStaged } from '../writes/staged-record.ts'
import type { Jobs } from './thread-jobs.ts'

export const WRITE_JOBS = {
  /** Runs a transaction that both stores share. */
  runOperation: (db: WriterDatabase, message: OperationMessage): unknown =>
    inTransaction(db, 'write', () => runNow(writeNamed(db.session, message))),
  deleteClosedRows,
  removeAbandoned,
  commitBatch,
  applyTransactions,
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

function build<Result>(
  db: WriterDatabase,
  run: (builder: TableBuilder) => Operation<Result>,
): Result {
  return inTransaction(db, 'write', () => runNow(run(new SqliteTableBuilder(db))))
}

/** Runs the operation of a name, see `TableBuilding`. */
function runBuild(db: WriterDatabase, message: OperationMessage): unknown {
  try {
    return build(db, (builder) => buildNamed(builder, message))
  } catch (error) {
    return RolledBack.resultOf(error)
  }
}

/** Takes a step of a change in the background. Returns undefined if there is nothing to do. */
function rewriteStep(db: WriterDatabase, _: undefined): RewriteProgress | undefined {
  const { session: reading, converters } = db
  return runNow(rewriteNext({ reading, converters, write: (_, run) => settled(build(db, run)) }))
}
