/**
 * Creates the tables of object types, and keeps their columns and indexes those of their fields. Most
 * indexes are built after the first rows: that costs less than inserting into them row by row.
 */
import { REWRITTEN_AT_ONCE_MAX } from '../../../contract/limits.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import {
  ALL_INDEXED,
  type FieldIndexes,
  type StoredField,
  type UnindexedFields,
} from '../../sql/compile/field-numbers.ts'
import {
  type CoreSession,
  columnList,
  integer,
  type Operation,
  type ReadSession,
  text,
  word,
} from '../session/session.ts'
import {
  type FieldTypes,
  numberFields,
  prefixFields,
  readTableFields,
  unindexedFields,
} from './fields.ts'
import { objectTable, type TableState } from './object-tables.ts'

/** A table of an object type, by their numbers in the catalogue. */
export interface TableOfType {
  readonly typeId: number
  readonly id: number
}

/** How a table stores the fields of its type. */
export interface TableLayout extends FieldIndexes {
  /** The last version when the indexes were built. */
  readonly indexedVersion: number
}

const BUILT_TABLE = {
  id: integer,
  state: word<TableState>,
  liveCount: integer,
  prefixFields,
  unindexedFields,
  indexedVersion: integer,
} as const

const BUILT_COLUMNS = columnList(BUILT_TABLE)

export interface Index {
  readonly name: string
  readonly sql: string
}

/** The columns and indexes of object tables, in the words of a database. */
export interface TableDialect<Type extends string = string> extends FieldTypes<Type> {
  /** Throws if the store has too many indexes with those of a type. */
  refuseTooManyIndexes(session: ReadSession, typeId: number): Operation<void>
  /** Returns the SQL that creates a table. */
  tableSql(table: string, columns: readonly string[]): string
  /** Creates a table with the index of its current rows. */
  create(session: CoreSession, table: string, columns: readonly string[]): Operation<void>
  /** Returns the definitions of the columns of fields. */
  columnsOf(fields: readonly StoredField<Type>[], layout: TableLayout): readonly string[]
  /** Returns the indexes that are not needed before a table is read. */
  indexesOf(
    table: string,
    fields: readonly StoredField<Type>[],
    layout: TableLayout,
  ): readonly Index[]
  /** Builds an index of a table with a number of rows. */
  buildIndex(session: CoreSession, index: Index, rows: number): Operation<void>
}

/** A transaction that builds tables. */
export interface TableSession {
  readonly session: CoreSession
  readonly tables: TableDialect
}

/**
 * Creates a table with the columns of its fields, some of which have no index. The caller must hold a
 * lock of the type.
 */
export function* createTable(
  on: TableSession,
  table: TableOfType,
  unindexed?: UnindexedFields,
): Operation<void> {
  const { session, tables } = on
  const { typeId, id } = table
  yield* session.extendTimeout()
  if (unindexed !== undefined && unindexed.size > 0) yield* saveUnindexed(session, id, unindexed)
  // All rows of a load have one version. A first batch that is no load has a later one, and notes it.
  yield* session.run(
    'UPDATE oqs_object_table SET is_created = TRUE, indexed_version = loaded_as WHERE id = ?',
    [id],
  )
  yield* tables.refuseTooManyIndexes(session, typeId)
  const { fields } = yield* readTableFields(session, table)
  const columns = tables.columnsOf(fields, yield* readBuiltTable(session, id))
  yield* tables.create(session, objectTable(id), columns)
}

/** Reads the layout of a table, and what else decides how its indexes are built. */
export function* readBuiltTable(session: ReadSession, id: number) {
  const table = yield* session.find(
    `SELECT ${BUILT_COLUMNS} FROM oqs_object_table WHERE id = ?`,
    [id],
    BUILT_TABLE,
    { isPrepared: true },
  )
  if (table === undefined) throw new Error(`no table ${id}`)
  return table
}

interface NewFields {
  readonly typeId: number
  readonly type: ObjectType
  readonly isDryRun?: boolean
  /** Tables with more rows than this get no index of the new fields now. */
  readonly rewrittenAtOnceMax?: number
}

/**
 * Numbers the new fields of a type, and adds them to its existing tables. No object has a value yet,
 * so that this takes no time, unless an index is built, for which all rows are read.
 */
export function* addFields(
  on: TableSession,
  { typeId, type, isDryRun, rewrittenAtOnceMax = REWRITTEN_AT_ONCE_MAX }: NewFields,
): Operation<void> {
  const { session, tables } = on
  const [added = []] = yield* numberFields(session, tables, [{ typeId, type }])
  if (added.length === 0) return
  const existing = yield* tablesOfDefinition(session, typeId)
  if (existing.length > 0) yield* tables.refuseTooManyIndexes(session, typeId)
  if (isDryRun === true) return
  for (const table of existing) {
    for (const column of tables.columnsOf(added, table)) {
      yield* session.execute(`ALTER TABLE ${objectTable(table.id)} ADD COLUMN ${column}`)
    }
    if (table.liveCount > rewrittenAtOnceMax) yield* leaveUnindexed(session, table, added)
    yield* alignIndexes(on, { typeId, id: table.id })
  }
}

/** Lets a table have no index of new fields. */
function leaveUnindexed(
  session: CoreSession,
  { id, unindexedFields: before }: { readonly id: number } & TableLayout,
  fields: readonly FieldId[],
): Operation<void> {
  const added = fields.map((field) => [fieldKey(field), 'added'] as const)
  return saveUnindexed(session, id, new Map([...before, ...added]))
}

function* saveUnindexed(
  session: CoreSession,
  id: number,
  unindexed: UnindexedFields,
): Operation<void> {
  yield* session.run('UPDATE oqs_object_table SET unindexed_fields = ? WHERE id = ?', [
    JSON.stringify(Object.fromEntries(unindexed)),
    id,
  ])
}

/**
 * Returns the created tables of a type that are not abandoned, and whose objects have the form of its
 * current definition.
 */
export function tablesOfDefinition(session: ReadSession, typeId: number) {
  return session.query(
    `SELECT ${columnList(BUILT_TABLE, 'o')} FROM oqs_object_table AS o
     JOIN oqs_object_type AS t ON t.id = o.object_type_id
     WHERE t.id = ? AND o.state <> 'abandoned' AND o.is_created AND o.id >= t.redefined_table
     ORDER BY o.id`,
    [typeId],
    BUILT_TABLE,
  )
}

/** Lets the indexes of some fields hold only the beginning of their texts. */
export function* indexPrefixes(
  on: TableSession,
  table: TableOfType,
  fields: readonly FieldId[],
): Operation<void> {
  const { session } = on
  const { prefixFields: before } = yield* readBuiltTable(session, table.id)
  yield* session.run('UPDATE oqs_object_table SET prefix_fields = ? WHERE id = ?', [
    JSON.stringify([...new Set([...before, ...fields.map(fieldKey)])]),
    table.id,
  ])
  yield* alignIndexes(on, table)
}

/**
 * Drops the indexes of a table that no longer fit its fields, and builds those that replace them. A
 * table that is being loaded, or has no rows yet, gets them later.
 */
export function* alignIndexes(on: TableSession, table: TableOfType): Operation<void> {
  const { session } = on
  const { state, isIndexed, outdated, missing } = yield* compareIndexes(on, table)
  yield* session.extendTimeout()
  for (const name of outdated) yield* session.execute(`DROP INDEX ${name}`)
  if (state !== 'published' || !isIndexed) return
  for (const { sql } of missing) yield* session.execute(sql)
}

/** Builds one missing index, except some. Returns false if there is none. */
export function* buildNextIndex(
  on: TableSession,
  table: TableOfType,
  except: readonly string[] = [],
): Operation<boolean> {
  const { session, tables } = on
  const { liveCount, missing } = yield* compareIndexes(on, table)
  const next = missing.find(({ name }) => !except.includes(name))
  if (next === undefined) return false
  yield* session.extendTimeout()
  yield* tables.buildIndex(session, next, liveCount)
  return true
}

/** Builds all missing indexes, within the transaction that publishes the table or its first rows. */
export function* buildIndexes(on: TableSession, table: TableOfType): Operation<void> {
  const { session, tables } = on
  const { liveCount, outdated, missing } = yield* compareIndexes(on, table)
  yield* session.extendTimeout()
  // Built by one transaction while another one wrote the first text that is too long for them.
  for (const name of outdated) yield* session.execute(`DROP INDEX ${name}`)
  for (const index of missing) yield* tables.buildIndex(session, index, liveCount)
}

export function* hasMissingIndex(on: TableSession, table: TableOfType): Operation<boolean> {
  return (yield* compareIndexes(on, table)).missing.length > 0
}

/** Returns the indexes that a table lacks, including those of fields that need none yet. */
export function* listMissingIndexes(
  on: ReadingSession,
  table: TableOfType,
): Operation<readonly Index[]> {
  return (yield* compareIndexes(on, table, {
    unindexedFields: ALL_INDEXED.unindexedFields,
  })).missing
}

interface ReadingSession extends Pick<TableSession, 'tables'> {
  readonly session: ReadSession
}

/** Compares the indexes that a table has with those that its fields need. */
function* compareIndexes(
  { session, tables }: ReadingSession,
  table: TableOfType,
  layout: Partial<Pick<TableLayout, 'unindexedFields'>> = {},
) {
  const name = objectTable(table.id)
  const built = { ...(yield* readBuiltTable(session, table.id)), ...layout }
  const { fields } = yield* readTableFields(session, table)
  const wanted = tables.indexesOf(name, fields, built)
  const rows = yield* session.query(session.dialect.deferredIndexes, [name], { name: text })
  const existing = new Set(rows.map((row) => row.name))
  const names = new Set(wanted.map((index) => index.name))
  return {
    ...built,
    isIndexed: existing.size > 0,
    outdated: [...existing].filter((one) => !names.has(one)),
    missing: wanted.filter((index) => !existing.has(index.name)),
  }
}
