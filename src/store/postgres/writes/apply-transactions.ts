/**
 * Applies transactions of a source in one transaction of the database, with a few statements for each
 * type: a row that a later one of the transactions replaces is added as a closed row.
 */
import { deduplicateChanges, typeOutOfSync } from '../../batch-rules.ts'
import { type AuditedTypes, commitRecord } from '../../core/audit/audit-records.ts'
import { addAuditRecords } from '../../core/audit/stored-audit-log.ts'
import { countsUpdate, type PublishedVersion, publication } from '../../core/commits/commit-log.ts'
import { lockType, readTable } from '../../core/commits/locked-type.ts'
import {
  type AppliedCommits,
  applyBehindPosition,
  positionId,
} from '../../core/commits/source-position.ts'
import { awaited, settled } from '../../core/session/session.ts'
import type { RequestContext } from '../../port/request-context.ts'
import type {
  Change,
  Commit,
  SourceTransaction,
  SourceTransactions,
  TransactionBatch,
} from '../../port/writes.ts'
import { readFieldColumns } from '../catalogue/field-columns.ts'
import { writeToTable } from '../catalogue/missing-tables.ts'
import { type PostgresContext, writeInTurn } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'
import { commitBatch, type WriteStore } from './commit-batch.ts'
import { analyzeLater, hasGrownMuch } from './commit-write.ts'
import { addRows, closeNothing, encodeObjects } from './copy-rows.ts'
import { closeRowsAt, existingKeys } from './current-rows.ts'
import { keyOf } from './settled-changes.ts'
import { VersionChain } from './version-chain.ts'

type Request = SourceTransactions & AuditedTypes

export async function applyTransactions(
  store: WriteStore,
  request: Request,
  context: RequestContext,
): Promise<AppliedCommits> {
  const id = positionId(request)
  const { transactions } = request
  // Where versions are published separately, a type can have one pending commit only.
  if (store.capabilities.needsSeparatePublication) return applyOneByOne(store, request, context)
  const grown: number[] = []
  const applied = await writeInTurn(store, { callerId: context.callerId, key: id }, (session) =>
    runIn(session, (core) =>
      applyBehindPosition(core, id, transactions, (fresh) =>
        awaited(writeTypes(session, store, request, fresh, grown)),
      ),
    ),
  )
  for (const table of new Set(grown)) analyzeLater(store.database, table)
  return applied
}

async function writeTypes(
  session: WriteSession,
  store: PostgresContext,
  request: Request,
  transactions: readonly SourceTransaction[],
  grown: number[],
): Promise<readonly Commit[]> {
  const batches = transactions.flatMap((transaction) => transaction.batches)
  const byType = Map.groupBy(batches, ({ objectType }) => objectType.rid)
  const commits: Commit[] = []
  // In one order, so that no two requests wait for the types of each other.
  for (const rid of [...byType.keys()].sort()) {
    commits.push(...(await writeType(session, store, request, byType.get(rid) ?? [], grown)))
  }
  return commits
}

/** Writes the batches of one type, each as a version of its own. */
async function writeType(
  session: WriteSession,
  { capabilities }: PostgresContext,
  { basedOn, auditOf }: Request,
  batches: readonly TransactionBatch[],
  grown: number[],
): Promise<readonly Commit[]> {
  const [first] = batches
  if (first === undefined) return []
  const { objectType } = first
  const type = await runIn(session, (core) => lockType(core, objectType.rid, 'commit'))
  if (type === undefined || type.generation > basedOn) throw typeOutOfSync(objectType.rid)
  const table = await runIn(session, (core) => readTable(core, type.tableId))
  const changes = batches.map((batch) => deduplicateChanges<Change>(batch.changes, keyOf, false))
  const deleted = changes.flat().flatMap((change) => ('delete' in change ? [change.delete] : []))
  const chain = new VersionChain(type, await existingKeys(session, table, deleted))
  const commits = changes.map((some) => chain.add(some))
  const { rows, closed } = chain
  const target = { ...table, typeId: type.id }
  const counts = await writeToTable(session, capabilities, target, rows.length, async () => {
    const closedBefore = await closeRowsAt(session, table, closed)
    const closedRows = closedBefore.size + chain.closedWithin
    const liveCount = table.liveCount + rows.length - closedRows
    if (rows.length === 0) return { ...table, liveCount, closed: closedRows }
    const fields = await readFieldColumns(session, type.id)
    const objects = rows.map(({ object }) => object)
    const encoded = await encodeObjects(fields, objects)
    const version = (_: string, index: number) => rows[index] ?? { from: 0, to: 0 }
    await addRows(session, capabilities, { ...target, fields, version }, encoded, closeNothing)
    const { maxRecordBytes } = encoded.facts
    const largest = Math.max(table.maxRecordBytes, maxRecordBytes)
    return { liveCount, maxRecordBytes: largest, closed: closedRows }
  })
  if (hasGrownMuch(counts.liveCount, table.liveCount)) grown.push(table.id)
  const audit = auditOf(objectType)
  const versions = commits.filter(({ put, deleted }) => put + deleted > 0)
  const recorded = commits.map(({ keys, ...commit }) =>
    audit === undefined ? commit : { ...commit, record: commitRecord(audit, commit, keys) },
  )
  await runIn(session, function* (core) {
    if (versions.length > 0) {
      yield* core.runAll([
        countsUpdate(table.id, counts),
        ...publication(core.dialect, type.id, versions satisfies readonly PublishedVersion[]),
      ])
    }
    yield* addAuditRecords(
      core,
      recorded.map((commit: Commit) => commit.record),
    )
  })
  return recorded
}

/** Applies transactions without atomicity: a commit for each batch, then the position. */
async function applyOneByOne(
  store: WriteStore,
  request: Request,
  context: RequestContext,
): Promise<AppliedCommits> {
  const id = positionId(request)
  const savePosition = (transactions: readonly SourceTransaction[]) =>
    store.database.write((session) =>
      runIn(session, (core) => applyBehindPosition(core, id, transactions, () => settled([]))),
    )
  let { position } = await savePosition([])
  const commits: Commit[] = []
  let applied = 0
  for (const transaction of request.transactions) {
    if (transaction.position <= position) continue
    for (const { objectType, changes } of transaction.batches) {
      const audit = request.auditOf(objectType)
      const batch = { objectType, changes, basedOn: request.basedOn, audit }
      commits.push(await commitBatch(store, batch, context))
    }
    position = (await savePosition([transaction])).position
    applied += 1
  }
  return { position, applied, commits }
}
