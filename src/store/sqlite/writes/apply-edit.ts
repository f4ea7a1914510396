/**
 * Applies an edit. It is decided on the main thread, which has the definition, and committed by the
 * writer thread, which checks that the objects are still those that were read.
 */
import type { Commit, CurrentObject, Edit } from '../../object-store.ts'
import { OPEN } from '../../sql/new-table.ts'
import { toOnceMessage } from '../../sql/once-key.ts'
import { objectTable } from '../catalogue/object-table.ts'
import { readTypeHead } from '../catalogue/type-head.ts'
import type { StoreGuard } from '../file/store-guard.ts'
import { changeMessages } from '../threads/change-message.ts'
import { inReadTransaction, type ReadConnection } from '../threads/read-connection.ts'
import type { WorkerThread } from '../threads/worker-thread.ts'
import type { WriteJobs } from '../threads/write-jobs.ts'
import { findRepeated } from './idempotency-keys.ts'

export interface EditConnections {
  readonly reading: ReadConnection
  readonly guard: StoreGuard
  readonly writer: WorkerThread<WriteJobs>
}

/** Decides an edit and commits it; decides again if another process wrote in between. */
export async function applyEdit(connections: EditConnections, edit: Edit): Promise<Commit> {
  const { reading, guard, writer } = connections
  const { objectType, basedOn } = edit
  const once = toOnceMessage(edit.once)
  const properties = [...objectType.properties.keys()]
  for (;;) {
    const rows = guard.read(() => readCurrent(reading, edit))
    // After the objects: if they contain the changes of this key already, it is found.
    const repeated = guard.read(() => findRepeated(reading.db, once))
    if (repeated !== undefined) return repeated
    const { changes, note } = await edit.decide(rows)
    const message = {
      typeRid: objectType.rid,
      basedOn,
      replacement: undefined,
      keepsExisting: false,
      properties,
      once,
      note,
      expected: edit.keys.map((pk) => [pk, rows.get(pk)?.version ?? 0] as const),
    }
    const parts = changeMessages(changes, properties)
    const commit = await guard.write(() => writer.runWithItems('commitEdit', () => message, parts))
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
