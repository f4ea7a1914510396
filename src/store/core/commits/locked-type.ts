/**
 * Locks of writers. Each writer of an object type locks the row of the type first. A batch of a
 * replacement only prevents changes of the definition, and locks the row of its own table.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import { replacementTableId } from '../../batch-rules.ts'
import type { PrefixFields } from '../../sql/compile/field-numbers.ts'
import { prefixFields } from '../catalogue/fields.ts'
import {
  boolean,
  type CoreSession,
  columnList,
  integer,
  type Operation,
  type ReadSession,
  type RowLocks,
} from '../session/session.ts'

/** `change` conflicts with all locks, `commit` with `change` and itself, `load` with `change` only. */
export type TypeLock = Exclude<keyof RowLocks, 'skipLocked'>

const TYPE = {
  id: integer,
  generation: integer,
  published: integer,
  lastVersion: integer,
  tableId: integer,
} as const

const TYPE_COLUMNS = columnList(TYPE)

export interface LockedType {
  readonly id: number
  /** The generation of the type's definition. */
  readonly generation: number
  readonly published: number
  readonly lastVersion: number
  /** The table of the newest version. */
  readonly tableId: number
}

/** Locks a type. Returns undefined if it does not exist. */
export function lockType(
  session: CoreSession,
  typeRid: string,
  lock: TypeLock,
): Operation<LockedType | undefined> {
  return session.find(
    `SELECT ${TYPE_COLUMNS} FROM oqs_object_type
     WHERE rid = ?${session.dialect.lock[lock]}`,
    [typeRid],
    TYPE,
    { isPrepared: true },
  )
}

/** Reads a type that is locked already. */
export function* readType(session: ReadSession, id: number): Operation<LockedType> {
  const type = yield* session.find(
    `SELECT ${TYPE_COLUMNS} FROM oqs_object_type WHERE id = ?`,
    [id],
    TYPE,
  )
  if (type === undefined) throw new Error(`no object type ${id}`)
  return type
}

/** The state of a table for writers. Must be read while its lock is held. */
export interface WriteTable {
  readonly id: number
  readonly loadedAs: number
  readonly liveCount: number
  readonly maxRecordBytes: number
  /** False if the table must be created before it is written to. */
  readonly isCreated: boolean
  /** The fields whose index holds only the beginning of their texts. */
  readonly prefixFields: PrefixFields
}

const TABLE = {
  id: integer,
  loadedAs: integer,
  liveCount: integer,
  maxRecordBytes: integer,
  isCreated: boolean,
  prefixFields,
} as const

const TABLE_COLUMNS = columnList(TABLE)

export function* readTable(session: ReadSession, id: number): Operation<WriteTable> {
  const table = yield* session.find(
    `SELECT ${TABLE_COLUMNS} FROM oqs_object_table WHERE id = ?`,
    [id],
    TABLE,
    { isPrepared: true },
  )
  if (table === undefined) throw new Error(`no table ${id}`)
  return table
}

/** Reads the table of the newest version of a type; undefined if there is no such type. */
export function readTableOf(
  session: ReadSession,
  typeRid: string,
): Operation<WriteTable | undefined> {
  return session.find(
    `SELECT ${TABLE_COLUMNS} FROM oqs_object_table
     WHERE id = (SELECT table_id FROM oqs_object_type WHERE rid = ?)`,
    [typeRid],
    TABLE,
    { isPrepared: true },
  )
}

/** Locks the table of a replacement. Throws `ReplacementNotFound` unless it is being loaded. */
export function* lockReplacement(
  session: CoreSession,
  typeId: number,
  replacement: string,
): Operation<WriteTable> {
  const table = yield* session.find(
    `SELECT ${TABLE_COLUMNS} FROM oqs_object_table
     WHERE id = ? AND object_type_id = ? AND state = 'loading'${session.dialect.lock.change}`,
    [replacementTableId(replacement), typeId],
    TABLE,
  )
  if (table === undefined) throw new ObjectQueryError('ReplacementNotFound', { replacement })
  return table
}
