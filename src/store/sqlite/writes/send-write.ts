/**
 * The main thread's side of writes. Changes are validated here, where the definition is, and sent to
 * the writer thread, which commits them.
 */
import type { Batch, Commit, CurrentObject, DeleteRequest, Edit } from '../../object-store.ts'
import { OPEN } from '../../sql/new-table.ts'
import { toOnceMessage } from '../../sql/once-key.ts'
import { objectTable } from '../catalogue/object-table.ts'
import { readTypeHead } from '../catalogue/type-head.ts'
import type { StoreGuard } from '../file/store-guard.ts'
import { changeMessages, columnsOf } from '../threads/change-message.ts'
import { inReadTransaction, type ReadConnection } from '../threads/read-connection.ts'
import type { WorkerThread } from '../threads/worker-thread.ts'
import type { WriteJobs } from '../threads/write-jobs.ts'
import type { BatchMessage } from './commit-batch.ts'
import type { DeleteSearch, FoundRows } from './delete-matches.ts'
import { findRepeated } from './idempotency-keys.ts'

export interface WriteConnections {
  readonly reading: ReadConnection
  readonly guard: StoreGuard
  readonly writer: WorkerThread<WriteJobs>
}

/** Runs a write when it is its turn. */
export type ScheduleWrite = <T>(run: () => Promise<T>) => Promise<T>

/** Sends the changes of a batch as they arrive, and commits them when it is their turn. */
export function commitInThread(
  { guard, writer }: WriteConnections,
  batch: Batch,
  schedule: ScheduleWrite,
): Promise<Commit> {
  const parts = changeMessages(batch.changes, columnsOf(batch.objectType))
  const message = () => toBatchMessage(batch)
  return guard.write(() => writer.runWithItems('commitBatch', message, parts, schedule))
}

function toBatchMessage(batch: Omit<Batch, 'changes'>): BatchMessage {
  const { objectType, basedOn, replacement, keepsExisting = false } = batch
  return {
    typeRid: objectType.rid,
    basedOn,
    replacement,
    keepsExisting,
    columns: columnsOf(objectType),
    once: toOnceMessage(batch.once),
  }
}

/** Decides an edit and commits it; decides again if another process wrote in between. */
export async function applyEdit(connections: WriteConnections, edit: Edit): Promise<Commit> {
  const { reading, guard, writer } = connections
  const batch = toBatchMessage(edit)
  for (;;) {
    const rows = guard.read(() => readCurrent(reading, edit))
    // After the objects: if they contain the changes of this key already, it is found.
    const repeated = guard.read(() => findRepeated((sql) => reading.db.prepare(sql), batch.once))
    if (repeated !== undefined) return repeated
    const { changes, note } = await edit.decide(rows)
    const expected = edit.keys.map((pk) => [pk, rows.get(pk)?.version ?? 0] as const)
    const message = () => ({ ...batch, note, expected })
    const parts = changeMessages(changes, batch.columns)
    const commit = await guard.write(() => writer.runWithItems('commitEdit', message, parts))
    if (commit !== undefined) return commit
  }
}

export interface DeleteSteps {
  readonly find: (search: DeleteSearch) => Promise<FoundRows>
  readonly schedule: ScheduleWrite
}

/** Finds the matches of a query, and deletes them when it is their turn. */
export async function deleteFoundRows(
  { reading, guard, writer }: WriteConnections,
  request: DeleteRequest,
  { find, schedule }: DeleteSteps,
): Promise<Commit> {
  const { objectType, query, basedOn } = request
  const once = toOnceMessage(request.once)
  const repeated = guard.read(() => findRepeated((sql) => reading.db.prepare(sql), once))
  if (repeated !== undefined) return repeated
  for (;;) {
    const found = await find({ objectType, query })
    const message = { objectType, query, basedOn, found, once }
    const commit = await schedule(() => guard.write(() => writer.run('deleteRows', message)))
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
