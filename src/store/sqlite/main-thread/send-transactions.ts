/** The main thread's side of transactions of a source, which the writer thread applies. */
import type { TaskOwner } from '../../../admission/fair-queue.ts'
import { nextTurn } from '../../../admission/next-turn.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { AuditedTypes } from '../../core/audit/audit-records.ts'
import { type AppliedCommits, positionId } from '../../core/commits/source-position.ts'
import type { SourceTransactions } from '../../object-store.ts'
import { type ChangeMessage, type ItemPart, toPutMessage } from '../changes/change-message.ts'
import type { TransactionsMessage } from '../writes/apply-transactions.ts'
import type { BatchMessage } from '../writes/commit-batch.ts'
import { toBatchMessage } from './send-write.ts'
import type { WriteConnections } from './write-connections.ts'

/** Changes per message; more would block the readers of this thread. */
const PART_CHANGES = 500

/** Sends the changes of all transactions, and applies them when it is their turn. */
export async function applyInThread(
  connections: WriteConnections,
  request: SourceTransactions & AuditedTypes,
  owner: TaskOwner,
): Promise<AppliedCommits> {
  const { guard, writer, queue } = connections
  guard.checkFiles()
  const { transactions, basedOn, auditOf } = request
  const messages = new Map<ObjectType, BatchMessage>()
  for (const { objectType } of transactions.flatMap(({ batches }) => batches)) {
    if (messages.has(objectType)) continue
    const audit = auditOf(objectType)
    messages.set(objectType, toBatchMessage(connections, { objectType, basedOn, audit }))
  }
  const message: TransactionsMessage = {
    id: positionId(request),
    transactions: transactions.map(({ position, batches }) => ({
      position,
      batches: batches.map(({ objectType, changes }) => ({
        batch: messages.get(objectType) as BatchMessage,
        changes: changes.length,
      })),
    })),
  }
  const job = await writer.sendItems(itemsOf(transactions, messages))
  try {
    const run = () => guard.write(() => job.run('applyTransactions', message))
    return (await queue.run(owner, run)) as AppliedCommits
  } catch (error) {
    job.cancel()
    throw error
  }
}

async function* itemsOf(
  transactions: SourceTransactions['transactions'],
  messages: ReadonlyMap<ObjectType, BatchMessage>,
): AsyncGenerator<ItemPart> {
  let items: ChangeMessage[] = []
  const takeItems = (): ItemPart => {
    const part = { items, count: items.length, length: 0, transfer: [] }
    items = []
    return part
  }
  for (const { objectType, changes } of transactions.flatMap(({ batches }) => batches)) {
    const isKnown = messages.has(objectType)
    for (const change of changes) {
      if ('delete' in change) items.push([change.delete])
      else if (isKnown) items.push(toPutMessage(change.put))
      if (items.length < PART_CHANGES) continue
      yield takeItems()
      await nextTurn()
    }
  }
  yield takeItems()
}
