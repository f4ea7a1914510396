/**
 * Tables under construction. Every table that replaces the objects of a type goes through the same
 * states, no matter who fills it: a client that loads a replacement, or the service that converts the
 * objects because the definition of their type has changed.
 *
 * | State | Rows come from | Leads to |
 * |---|---|---|
 * | `loading` | the batches of a replacement | `published`, `abandoned` |
 * | `rewriting` | copies of the current objects, in the phases `copying`, `indexing`, `catchingUp` | `published`, `abandoned` |
 * | `published` | commits | `abandoned`, once a later table holds every version that can be read |
 * | `abandoned` | – | removed by reclaim |
 *
 * docs/decisions/028-tables-under-construction.md has the whole picture: who moves a table from one
 * state to the next, which locks that takes, and what a crash leaves behind.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Steps } from '../../../ontology/pausable-work.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import type { RequestContext } from '../../port/request-context.ts'
import type { PublishMode } from '../../port/writes.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { TableOfType, TableSession } from '../catalogue/build-table.ts'
import { addObjectTable } from '../catalogue/object-tables.ts'
import {
  type LockedType,
  lockType as lockRow,
  type TypeLock,
  type WriteTable,
} from '../commits/locked-type.ts'
import { type CoreSession, integer, type Operation } from '../session/session.ts'

/** The size of what is read or written together. One object is always allowed. */
export interface Portion {
  readonly objects: number
  readonly bytes: number
}

/** What differs between the databases when a table is built. It belongs to one transaction. */
export interface TableBuilder extends TableSession {
  /** Undefined if rows become visible with their transaction, which can therefore publish them. */
  readonly separately: SeparatePublication | undefined
  /** The objects that a step copies before it asks whether it must end. */
  readonly portion: Portion
  /** True if a step must end, so that others get their turn. */
  isStepOver(): boolean
  /** Throws if a commit of a type, which is locked, is not published yet. */
  refuseUnfinished(typeId: number): Operation<void>
  /** Returns the write of another process that a table must wait for; undefined if there is none. */
  findUnfinished(id: number): Operation<StagedRecord | undefined>
  /** Updates the statistics of a table that is filled. */
  analyze(table: TableOfType): Operation<void>
  /** Selects the rows of the published version of a type. */
  currentRows(typeId: number): Operation<SqlCondition>
  /** Adds the rows of objects that are not in the table. */
  addRows(table: TableOfType, rows: NewRows): Operation<void>
  /** Removes rows, and returns how many there were. */
  removeRows(table: Pick<TableOfType, 'id'>, keys: readonly string[]): Operation<number>
  /**
   * Lists the keys of the copied objects that commits have changed since the keys were last listed,
   * unless the commits have listed them.
   */
  listChanges(rewrite: ChangedSource): Operation<void>
  /** Reads or converts an object; one with many values must not hold up others. */
  convert(steps: Steps<StoredObject>): Operation<StoredObject>
  /** Completes what was written to tables. Must be called at the end of the transaction. */
  finish(): Operation<void>
}

/** How rows are published that become visible on one machine after the other. */
export interface SeparatePublication {
  /** Runs an operation in a transaction of its own, while this one holds its locks. */
  write<Result>(run: (builder: TableBuilder) => Operation<Result>): Operation<Result>
  /** Waits until all rows that were written to a table under construction are visible. */
  waitForRows(id: number): Operation<void>
  /** Lets a table be published once its rows are visible, and returns its version. */
  publish(table: TableOfType, publishing: Publishing): Operation<number>
}

/** A transaction that builds tables. Its input is plain data, because another thread may run it. */
export interface BuildOperation<Input, Result> {
  readonly name: string
  readonly run: (builder: TableBuilder, input: Input) => Operation<Result>
}

/** How a store runs such transactions. */
export interface TableBuilding {
  /** Those with the same key take turns; so do callers, if there is a context. */
  build<Input, Result>(
    operation: BuildOperation<Input, Result>,
    input: Input,
    turn: { readonly key: string; readonly context?: RequestContext },
  ): Promise<Result>
}

/** Thrown by an operation whose transaction is to be rolled back, with its result. */
export class RolledBack<Result> extends Error {
  readonly result: Result

  constructor(result: Result) {
    super('rolled back')
    this.result = result
  }

  /** Returns the result, or throws any other error. */
  static resultOf<Result>(error: unknown): Result {
    if (error instanceof RolledBack) return error.result
    throw error
  }
}

/** A write that takes several transactions, as the catalogue has it. Only SQLite has them. */
export interface StagedRecord {
  readonly table: number
  readonly version: number
  readonly afterRow: number
  readonly owner: string
  /** Changes with every step. */
  readonly steps: number
}

export interface NewRows {
  /** The type by which the objects were read. */
  readonly type: ObjectType
  readonly version: number
  readonly objects: readonly StoredObject[]
}

/** The table whose objects are copied, and how far. */
export interface ChangedSource {
  readonly typeId: number
  readonly sourceId: number
  readonly phase: string
  readonly copiedTo: string
  readonly notedVersion: number
}

/** A table that is being loaded. */
export type LoadingTable = WriteTable & TableOfType

/** Locks a type. Returns undefined if it does not exist. */
export function* lockType(
  builder: TableBuilder,
  typeRid: string,
  lock: TypeLock,
): Operation<LockedType | undefined> {
  const { session } = builder
  const type = yield* lockRow(session, typeRid, lock)
  if (type !== undefined && lock !== 'load') yield* builder.refuseUnfinished(type.id)
  // Not before the lock is held: waiting for it keeps the short timeout.
  yield* session.extendTimeout()
  return type
}

/** Reserves a version for the rows of a new table, and adds the table to the catalogue. */
export function* addTable(
  { session }: TableBuilder,
  typeId: number,
  state: 'loading' | 'rewriting',
): Operation<number> {
  // The version of the publication is not known yet, and writing it into every row at the end would
  // take too long.
  const type = yield* session.find(
    'UPDATE oqs_object_type SET last_version = last_version + 1 WHERE id = ? RETURNING last_version',
    [typeId],
    { version: integer },
  )
  if (type === undefined) throw new Error(`no object type ${typeId}`)
  const { version } = type
  return yield* addObjectTable(session, { typeId, state, firstVersion: version, loadedAs: version })
}

/** Adds what a transaction has written to the counts of a table. */
export function* countRows(
  session: CoreSession,
  { id }: Pick<TableOfType, 'id'>,
  { added, maxRecordBytes }: { readonly added: number; readonly maxRecordBytes: number },
): Operation<void> {
  yield* session.run(
    `UPDATE oqs_object_table SET live_count = live_count + ?,
       max_record_bytes = CASE WHEN max_record_bytes < ? THEN ? ELSE max_record_bytes END
     WHERE id = ?`,
    [added, maxRecordBytes, maxRecordBytes, id],
  )
}

export interface Publishing {
  /** The last version of the type. */
  readonly lastVersion: number
  readonly put: number
  readonly deleted: number
  readonly kept: number
  /** How a replacement was published, for a client that publishes it again. */
  readonly mode?: PublishMode
}

/**
 * Makes a table the one of the newest version of its type, and returns the version. No time is
 * stored: a time from before the end of this transaction would make the previous version look
 * superseded too early.
 */
export function* publishTable(
  session: CoreSession,
  { typeId, id }: TableOfType,
  { lastVersion, put, deleted, kept, mode }: Publishing,
): Operation<number> {
  const version = lastVersion + 1
  yield* endConstruction(session, id, version, mode)
  yield* session.run(
    'UPDATE oqs_object_type SET table_id = ?, published = ?, last_version = ? WHERE id = ?',
    [id, version, version, typeId],
  )
  yield* session.run(
    'INSERT INTO oqs_commit_log (object_type_id, version, put, deleted, kept) VALUES (?, ?, ?, ?, ?)',
    [typeId, version, put, deleted, kept],
  )
  return version
}

/** Gives a table the version as of which it is read. Nothing is loaded into it any more. */
export function* endConstruction(
  session: CoreSession,
  id: number,
  version: number,
  mode: PublishMode | undefined,
): Operation<void> {
  yield* session.run(
    `UPDATE oqs_object_table SET state = 'published', first_version = ?, publish_mode = ?
     WHERE id = ?`,
    [version, mode ?? null, id],
  )
}

/** Abandons the replacements of a type: their objects have the form of an earlier definition. */
export function* abandonLoads(session: CoreSession, typeId: number): Operation<void> {
  yield* session.run(
    `UPDATE oqs_object_table SET state = 'abandoned' WHERE object_type_id = ? AND state = 'loading'`,
    [typeId],
  )
}
