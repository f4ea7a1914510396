/**
 * The main thread's side of writes. Changes are checked before they arrive here, and sent to the
 * writer thread, which commits them.
 */
import type { FairQueue, TaskOwner } from '../../../admission/fair-queue.ts'
import type { RequestContext } from '../../../admission/request-context.ts'
import {
  type Batch,
  type Commit,
  type CurrentObject,
  type DeleteRequest,
  type Edit,
  FEW_CHANGES,
  FEW_CHANGES_LENGTH,
} from '../../object-store.ts'
import type { AuditedWrite } from '../../sql/audit-row.ts'
import { OPEN } from '../../sql/new-table.ts'
import { toOnceMessage } from '../../sql/once-key.ts'
import { isIdleReplacement } from '../catalogue/replacement.ts'
import { objectTable } from '../catalogue/table-name.ts'
import { readTypeHead } from '../catalogue/type-head.ts'
import type { StoreGuard } from '../file/store-guard.ts'
import { changeMessages, columnsOf } from '../threads/change-message.ts'
import { inReadTransaction, type ReadConnection } from '../threads/read-connection.ts'
import type { WorkerThread } from '../threads/worker-thread.ts'
import type { WriteJobs } from '../threads/write-jobs.ts'
import type { BatchMessage } from './commit-batch.ts'
import type { DeleteSearch, FoundRows } from './delete-matches.ts'
import { findRepeated } from './idempotency-keys.ts'
import type { PreparedWrite, SmallWrite, WriteGroups } from './write-groups.ts'

export interface WriteConnections {
  readonly reading: ReadConnection
  readonly guard: StoreGuard
  readonly writer: WorkerThread<WriteJobs>
  /** In which writes wait for their turn. */
  readonly queue: FairQueue
  readonly groups: WriteGroups
}

/**
 * Sends the changes of a batch as they arrive, and commits them when it is their turn: a slow upload
 * must not block other writes. A large batch is not committed if its client disconnects while it waits.
 */
export async function commitInThread(
  connections: WriteConnections,
  batch: Batch & AuditedWrite,
  context: RequestContext,
): Promise<Commit> {
  const { guard, writer, groups, queue } = connections
  if (batch.replacement !== undefined) keepFromExpiring(connections, batch.replacement)
  guard.checkFiles()
  const job = await writer.sendItems(changeMessages(batch.changes, columnsOf(batch.objectType)))
  const name = 'commitBatch'
  try {
    const { count, length } = job.sent
    const isSmall = count <= FEW_CHANGES && length <= FEW_CHANGES_LENGTH
    const owner = { callerId: context.callerId, signal: isSmall ? undefined : context.signal() }
    const isGrouped = isSmall && batch.replacement === undefined
    const commit = isGrouped
      ? groups.run(owner, {
          keys: [],
          prepare: async () => ({ job, name, input: toBatchMessage(batch) }),
        })
      : queue.run(owner, () => guard.write(() => job.run(name, toBatchMessage(batch))))
    return (await commit) as Commit
  } catch (error) {
    job.cancel()
    throw error
  }
}

/**
 * Keeps a replacement from expiring while its next batch arrives, which may take minutes. Writes only
 * if maintenance has marked it as idle, and does not delay the batch.
 */
function keepFromExpiring({ reading, guard, writer }: WriteConnections, replacement: string): void {
  const isIdle = guard.read(() => isIdleReplacement(reading.statements, replacement))
  // Ignored, because the batch itself fails in the same way.
  if (isIdle) guard.write(() => writer.run('touchReplacement', replacement)).catch(() => {})
}

function toBatchMessage(batch: Omit<Batch, 'changes'> & AuditedWrite): BatchMessage {
  const { objectType, basedOn, replacement, keepsExisting = false } = batch
  return {
    typeRid: objectType.rid,
    basedOn,
    replacement,
    keepsExisting,
    columns: columnsOf(objectType),
    once: toOnceMessage(batch.once),
    audit: batch.audit,
  }
}

/** Decides an edit and commits it; decides again if another process wrote in between. */
export async function commitEditInThread(
  connections: WriteConnections,
  edit: Edit & AuditedWrite,
  owner: TaskOwner,
): Promise<Commit> {
  const { objectType, keys } = edit
  const write: SmallWrite = {
    keys: keys.map((pk) => `${objectType.rid}/${pk}`),
    prepare: () => decideEdit(connections, edit),
  }
  for (;;) {
    const commit = await connections.groups.run(owner, write)
    if (commit !== undefined) return commit
  }
}

async function decideEdit(
  { reading, guard, writer }: WriteConnections,
  edit: Edit & AuditedWrite,
): Promise<PreparedWrite | Commit> {
  const batch = toBatchMessage(edit)
  const rows = guard.read(() => readCurrent(reading, edit))
  // After the objects: if they contain the changes of this key already, it is found.
  const repeated = guard.read(() => findRepeated((sql) => reading.db.prepare(sql), batch.once))
  if (repeated !== undefined) return repeated
  const { changes, note } = await edit.decide(rows)
  const expected = edit.keys.map((pk) => [pk, rows.get(pk)?.version ?? 0] as const)
  const job = await writer.sendItems(changeMessages(changes, batch.columns))
  return { job, name: 'commitEdit', input: { ...batch, note, expected } }
}

/** Finds the matches of a query, and deletes them when it is their turn. */
export async function deleteFoundRows(
  { reading, guard, writer, queue }: WriteConnections,
  request: DeleteRequest & AuditedWrite,
  owner: TaskOwner,
  find: (search: DeleteSearch) => Promise<FoundRows>,
): Promise<Commit> {
  const { objectType, query, basedOn, audit } = request
  const once = toOnceMessage(request.once)
  const repeated = guard.read(() => findRepeated((sql) => reading.db.prepare(sql), once))
  if (repeated !== undefined) return repeated
  for (;;) {
    const found = await find({ objectType, query })
    const message = { objectType, query, basedOn, found, once, audit }
    const commit = await queue.run(owner, () =>
      guard.write(() => writer.run('deleteRows', message)),
    )
    if (commit !== undefined) return commit
  }
}

interface CurrentRow extends CurrentObject {
  /** The commit that wrote the row. */
  readonly version: number
}

function readCurrent(
  reading: ReadConnection,
  { objectType, keys }: Edit,
): ReadonlyMap<string, CurrentRow> {
  const { statements } = reading
  return inReadTransaction(reading, () => {
    const { table, isCreated } = readTypeHead(statements, objectType).current
    if (!isCreated) return new Map()
    const find = statements.prepare(
      `SELECT valid_from, object_id, key, title, body FROM ${objectTable(table)}
       WHERE pk = ? AND valid_to = ${OPEN}`,
    )
    const rows = new Map<string, CurrentRow>()
    for (const pk of keys) {
      const row = find.get(pk) as unknown as FoundRow | undefined
      if (row === undefined) continue
      const [version, objectId, key, title, body] = row
      rows.set(pk, { pk, version, objectId, key, title, body })
    }
    return rows
  })
}

type FoundRow = [version: number, objectId: string, key: string, title: string | null, body: string]
