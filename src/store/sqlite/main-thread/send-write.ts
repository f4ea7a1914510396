/**
 * The main thread's side of writes. Changes are checked before they arrive here, and sent to the
 * writer thread, which commits them.
 */

import type { TaskOwner } from '../../../admission/fair-queue.ts'
import { refuseLargeEdit } from '../../batch-rules.ts'
import type { AuditedWrite } from '../../core/audit/audit-records.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { findEarlierCommit, toKeyMessage } from '../../core/idempotency/idempotency-keys.ts'
import { runNow } from '../../core/session/session.ts'
import {
  type Batch,
  type Commit,
  type CurrentObject,
  type DeleteRequest,
  type Edit,
  FEW_CHANGES,
  FEW_CHANGES_LENGTH,
} from '../../object-store.ts'
import type { RequestContext } from '../../port/request-context.ts'
import { readTypeHead, VISIBLE, visibilityValues } from '../catalogue/type-head.ts'
import { changeMessages } from '../changes/change-message.ts'
import { KEY_JSON, TITLE_JSON } from '../file/row-texts.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import type { CommitMessage } from '../staged/staged-jobs.ts'
import type { OpenJob } from '../threads/worker-thread.ts'
import type { BatchMessage } from '../writes/commit-batch.ts'
import type { DeleteSearch, FoundRows } from '../writes/delete-matches.ts'
import { newOwner } from './staged-writes.ts'
import type { WriteConnections } from './write-connections.ts'
import type { PreparedWrite, SmallWrite } from './write-groups.ts'

/**
 * Sends the changes of a batch as they arrive, and commits them when it is their turn: a slow upload
 * must not block other writes. A large batch is not committed if its client disconnects while it waits.
 */
export async function commitInThread(
  connections: WriteConnections,
  batch: Batch & AuditedWrite,
  context: RequestContext,
): Promise<Commit> {
  const { guard, writer, groups } = connections
  // Before an upload is received; a list is checked when it is its turn.
  if (!Array.isArray(batch.changes)) guard.checkFiles()
  const job = await writer.sendItems(changeMessages(batch.changes))
  try {
    const { count, length } = job.sent
    const { callerId } = context
    const fewChanges = Math.min(FEW_CHANGES, connections.maxChanges)
    const isSmall = count <= fewChanges && length <= FEW_CHANGES_LENGTH
    if (!isSmall || batch.replacement !== undefined) {
      const owner = { callerId, signal: isSmall ? undefined : context.signal() }
      return await commitLargeBatch(connections, batch, job, owner)
    }
    const input = toBatchMessage(connections, batch)
    const prepare = async () => ({ job, name: 'commitBatch' as const, input })
    return (await groups.run({ callerId }, { keys: [], prepare })) as Commit
  } catch (error) {
    job.cancel()
    throw error
  }
}

/** Commits a batch in one transaction, or in steps if that would take too long. */
async function commitLargeBatch(
  connections: WriteConnections,
  batch: Batch & AuditedWrite,
  job: OpenJob,
  owner: TaskOwner,
): Promise<Commit> {
  const { guard, queue, staged, maxChanges } = connections
  const name = newOwner()
  const message: CommitMessage = { ...toBatchMessage(connections, batch), owner: name, maxChanges }
  const commit = await queue.run(owner, () => guard.write(() => job.run('commitBatch', message)))
  if (commit !== undefined) return commit as Commit
  const key = batch.replacement ?? batch.objectType.rid
  const outcome = await staged.run({ ...owner, key }, name)
  if (outcome === 'outdated') throw new Error('a batch is never outdated')
  return outcome
}

/** Returns a batch as a message to the writer thread. */
export function toBatchMessage(
  { columnsOf }: Pick<WriteConnections, 'columnsOf'>,
  batch: Omit<Batch, 'changes'> & AuditedWrite,
): BatchMessage {
  const { objectType, basedOn, replacement, keepsExisting = false, notes } = batch
  return {
    typeRid: objectType.rid,
    basedOn,
    replacement,
    keepsExisting,
    columns: columnsOf(objectType),
    idempotencyKey: toKeyMessage(batch.idempotencyKey),
    audit: batch.audit,
    notes,
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
  connections: WriteConnections,
  edit: Edit & AuditedWrite,
): Promise<PreparedWrite | Commit> {
  const { reading, guard, writer } = connections
  const batch = toBatchMessage(connections, edit)
  const rows = guard.read(() => readCurrent(reading, edit))
  // After the objects: if they contain the changes of this key already, it is found.
  const repeated = guard.read(() =>
    runNow(findEarlierCommit(reading.session, batch.idempotencyKey)),
  )
  if (repeated !== undefined) return repeated
  const { changes, note } = await edit.decide(rows)
  const expected = edit.keys.map((pk) => [pk, rows.get(pk)?.version ?? 0] as const)
  const job = await writer.sendItems(changeMessages(changes))
  return { job, name: 'commitEdit', input: { ...batch, note, expected } }
}

/** Finds the matches of a query, and deletes them when it is their turn. */
export async function deleteFoundRows(
  { reading, guard, writer, queue, staged, maxChanges }: WriteConnections,
  request: DeleteRequest & AuditedWrite,
  owner: TaskOwner,
  find: (search: DeleteSearch) => Promise<FoundRows>,
): Promise<Commit> {
  const { objectType, query, basedOn, audit } = request
  const idempotencyKey = toKeyMessage(request.idempotencyKey)
  const repeated = guard.read(() => runNow(findEarlierCommit(reading.session, idempotencyKey)))
  if (repeated !== undefined) return repeated
  for (;;) {
    const found = await find({ objectType, query })
    const target = { typeRid: objectType.rid, basedOn, replacement: undefined }
    const message = { objectType, query, ...target, found, idempotencyKey, audit }
    if (found.rows.length <= maxChanges) {
      const run = () => guard.write(() => writer.run('deleteRows', message))
      const commit = await queue.run(owner, run)
      if (commit !== undefined) return commit
      continue
    }
    const name = newOwner()
    await queue.run(owner, () => writer.run('stageDelete', { ...message, owner: name }))
    const outcome = await staged.run({ ...owner, key: objectType.rid }, name)
    if (outcome !== 'outdated') return outcome
  }
}

interface CurrentRow extends CurrentObject {
  /** The commit that wrote the row. */
  readonly version: number
}

function readCurrent(
  reading: ReadConnection,
  { objectType, keys, maxCurrentBytes }: Edit,
): ReadonlyMap<string, CurrentRow> {
  const { statements } = reading
  return inReadTransaction(reading, () => {
    const { current, published } = readTypeHead(statements, objectType)
    const { table, isCreated, stagedCount } = current
    if (!isCreated) return new Map()
    const visibility = stagedCount === undefined ? 'current' : 'version'
    const find = statements.prepare(
      `SELECT valid_from, object_id, ${KEY_JSON}, ${TITLE_JSON}, body FROM ${objectTable(table)} AS o
       WHERE ${VISIBLE[visibility]} AND pk = ?`,
    )
    const values = visibilityValues(visibility, published)
    const rows = new Map<string, CurrentRow>()
    let bytes = 0
    for (const pk of keys) {
      const row = find.get(...values, pk) as FoundRow | undefined
      if (row === undefined) continue
      const [version, objectId, key, title, body] = row
      bytes += Buffer.byteLength(body)
      refuseLargeEdit(bytes, maxCurrentBytes)
      rows.set(pk, { pk, version, objectId, key, title, body })
    }
    return rows
  })
}

type FoundRow = [version: number, objectId: string, key: string, title: string | null, body: string]
