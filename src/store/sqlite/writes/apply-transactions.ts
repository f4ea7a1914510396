/** Applies transactions of a source: one after the other, all in one transaction of the database. */
import { type AppliedCommits, applyBehindPosition } from '../../core/commits/source-position.ts'
import { runNow, settled } from '../../core/session/session.ts'
import type { ReceivedChange } from '../changes/encoded-rows.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { applyBatch, type BatchMessage } from './commit-batch.ts'

/** Transactions as a message to the writer thread. The changes of all are sent before it, in order. */
export interface TransactionsMessage {
  /** The id of the position, see source-position.ts. */
  readonly id: string
  readonly transactions: readonly {
    readonly position: string
    /** The batches of the transaction, each with the number of its changes. */
    readonly batches: readonly { readonly batch: BatchMessage; readonly changes: number }[]
  }[]
}

export function applyTransactions(
  db: WriterDatabase,
  { id, transactions }: TransactionsMessage,
  changes: readonly ReceivedChange[],
): AppliedCommits {
  let at = 0
  const received = transactions.map(({ position, batches }) => ({
    position,
    batches: batches.map((batch) => {
      const start = at
      at += batch.changes
      return { batch: batch.batch, changes: changes.slice(start, at) }
    }),
  }))
  return inTransaction(db, 'write', () =>
    runNow(
      applyBehindPosition(db.session, id, received, (fresh) =>
        settled(
          fresh.flatMap(({ batches }) =>
            batches.map(({ batch, changes }) => applyBatch(db, batch, changes)),
          ),
        ),
      ),
    ),
  )
}
