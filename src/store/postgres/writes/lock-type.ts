/**
 * Locks of writers. Each writer of an object type locks the row of the type first. A batch of a
 * replacement only prevents changes of the definition, and locks the row of its own table.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import { replacementTableId } from '../../batch.ts'
import { LAYOUT_COLUMNS, type TableLayout, toTableLayout } from '../catalogue/table-layout.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import { refuseUnfinished } from '../citus/pending-commit.ts'
import type { Session, WriteSession } from '../driver/database.ts'

export type TypeLock = 'change' | 'commit' | 'load'

/** `change` conflicts with all locks, `commit` with `change` and itself, `load` with `change` only. */
const LOCKS: Readonly<Record<TypeLock, string>> = {
  change: 'FOR UPDATE',
  commit: 'FOR NO KEY UPDATE',
  load: 'FOR KEY SHARE',
}

export interface LockedType {
  readonly id: number
  readonly generation: number
  readonly published: number
  readonly lastVersion: number
  readonly tableId: number
}

export async function lockType(
  session: WriteSession,
  { needsSeparatePublication }: Capabilities,
  typeRid: string,
  lock: TypeLock,
): Promise<LockedType | undefined> {
  const [row] = await session.query(
    `SELECT id, generation, published, last_version, table_id FROM oqs_object_type
     WHERE rid = ? ${LOCKS[lock]}`,
    [typeRid],
    { isPrepared: true },
  )
  if (row === undefined) return undefined
  const [id = 0, generation = 0, published = 0, lastVersion = 0, tableId = 0] = row.map(Number)
  if (needsSeparatePublication && lock !== 'load') await refuseUnfinished(session, id)
  return { id, generation, published, lastVersion, tableId }
}

/** The state of a table for writers. Must be read while its lock is held. */
export interface WriteTable extends TableLayout {
  readonly id: number
  readonly loadedAs: number
  readonly liveCount: number
  readonly maxRecordBytes: number
  /** False if the table must be created before it is written to. */
  readonly isCreated: boolean
}

const TABLE_COLUMNS = `id, loaded_as, live_count, max_record_bytes, is_created, ${LAYOUT_COLUMNS.join(', ')}`

export async function readTable(session: Session, id: number): Promise<WriteTable> {
  const [row] = await session.query(
    `SELECT ${TABLE_COLUMNS} FROM oqs_object_table WHERE id = ?`,
    [id],
    { isPrepared: true },
  )
  if (row === undefined) throw new Error(`no table ${id}`)
  return toWriteTable(row)
}

/** Locks the table of a replacement. Throws `ReplacementNotFound` unless it is being loaded. */
export async function lockReplacement(
  session: WriteSession,
  typeId: number,
  replacement: string,
): Promise<WriteTable> {
  const [row] = await session.query(
    `SELECT ${TABLE_COLUMNS} FROM oqs_object_table
     WHERE id = ? AND object_type_id = ? AND state = 'loading' FOR UPDATE`,
    [replacementTableId(replacement), typeId],
  )
  if (row === undefined) throw new ObjectQueryError('ReplacementNotFound', { replacement })
  return toWriteTable(row)
}

function toWriteTable(row: readonly unknown[]): WriteTable {
  const [id = 0, loadedAs = 0, liveCount = 0, maxRecordBytes = 0] = row.map(Number)
  const isCreated = row[4] === true
  const layout = toTableLayout(row.slice(5))
  return { id, loadedAs, liveCount, maxRecordBytes, isCreated, ...layout }
}
