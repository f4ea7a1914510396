/**
 * The tables of an object type. A row is one version of one object, valid from commit `valid_from`
 * until commit `valid_to`; `valid_to` of a current row is `NEVER_CLOSED`. Each property has a column, in the
 * form that conditions compare, and an index that includes the key; so does a struct field that has
 * one value. Arrays and positions are in the body alone.
 *
 * A type has one table. A replacement is loaded into a new one, and the old one remains until its
 * versions expire. See docs/decisions/008-replacements.md.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import { INDEXED_PROPERTIES_MAX, INDEXED_STRUCT_FIELDS_MAX } from '../../../contract/limits.ts'
import type { Index, TableDialect, TableSession } from '../../core/catalogue/build-table.ts'
import { isStructColumn } from '../../core/catalogue/fields.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import {
  type CoreSession,
  integer,
  type Operation,
  type ReadSession,
  text,
} from '../../core/session/session.ts'
import { INDEXED_TIME } from '../../sql/compile/field-numbers.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { TableFields } from './table-fields.ts'
import { columnDefinitions, deferredIndexes } from './table-indexes.ts'

/** A column can hold values of any type; timestamps have another one, which is stored. */
export const SQLITE_TABLES: TableDialect = {
  columnType: (type) => (type === 'timestamp' ? INDEXED_TIME : 'any'),
  presence: 'any',
  // The indexes are limited instead.
  refuseFields() {},
  /**
   * A struct field gets a column as long as there are few in the store; others are read from the body.
   */
  *limitColumns(session, fields) {
    let free = fields.some(isStructColumn) ? yield* freeStructColumns(session) : 0
    return fields.map((field) => {
      if (!isStructColumn(field)) return field
      free -= 1
      return free < 0 ? { ...field, valueType: undefined } : field
    })
  },
  refuseTooManyIndexes,
  tableSql: (table, columns) => `
    CREATE TABLE ${table} (
      id INTEGER PRIMARY KEY,
      pk TEXT NOT NULL,
      valid_from INTEGER NOT NULL,
      valid_to INTEGER NOT NULL DEFAULT ${NEVER_CLOSED},
      object_id TEXT NOT NULL,
      -- See row-texts.ts.
      key TEXT,
      title TEXT,
      title_place INTEGER,
      body TEXT NOT NULL,
      -- See object-checksum.ts.
      checksum INTEGER NOT NULL${columns.map((column) => `, ${column}`).join('')}
    ) STRICT;
    -- For walks over the current objects; also guarantees one current row per object.
    CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${NEVER_CLOSED};
  `,
  create: (session, table, columns) => session.execute(SQLITE_TABLES.tableSql(table, columns)),
  columnsOf: (fields, layout) => columnDefinitions(new TableFields(fields, layout)),
  indexesOf: (table, fields, layout) => deferredIndexes(table, new TableFields(fields, layout)),
  buildIndex,
}

/** Builds tables within the transaction of the writer. */
export function buildingIn({ session }: WriterDatabase): TableSession {
  return { session, tables: SQLITE_TABLES }
}

/** Returns how many more struct fields can have a column. */
function* freeStructColumns(session: ReadSession): Operation<number> {
  const row = yield* session.find(
    'SELECT coalesce(sum(struct_columns), 0) FROM oqs_field_list WHERE struct_columns > 0',
    [],
    { count: integer },
  )
  return INDEXED_STRUCT_FIELDS_MAX - (row?.count ?? 0)
}

/**
 * Limits the number of indexes: after every change of the schema each connection reads all of it
 * again, on the main thread too. Counts a type that is being redefined with its larger definition.
 */
function* refuseTooManyIndexes(session: ReadSession, typeId: number): Operation<void> {
  const row = yield* session.find(
    `SELECT coalesce(sum(properties), 0),
       (SELECT ${session.dialect.member('definition', 'apiName')} FROM oqs_object_type WHERE id = ?)
     FROM (
       SELECT max(properties) AS properties FROM oqs_field_list WHERE object_type_id IN (
         SELECT object_type_id FROM oqs_object_table WHERE is_created AND state <> 'abandoned'
       ) GROUP BY object_type_id
     )`,
    [typeId],
    { count: integer, name: text },
  )
  const count = row?.count ?? 0
  if (count <= INDEXED_PROPERTIES_MAX) return
  const reason = `the object types in use would have ${count} properties in total, and a SQLite store indexes at most ${INDEXED_PROPERTIES_MAX}; use fewer properties, or PostgreSQL`
  throw new ObjectQueryError('InvalidOntologyDefinition', {
    mistakes: [{ path: `objectTypes.${row?.name}.properties`, reason }],
  })
}

/** Below this many rows, starting a thread costs more than it saves. */
const MANY_ROWS = 100_000
/** SQLite hands the rows of an index to the thread in portions of this size. */
const SORTED_KIB = 2048

/** Sorts the entries of many rows in a second thread, while this one reads rows and writes the index. */
function* buildIndex(session: CoreSession, { sql }: Index, rows: number): Operation<void> {
  if (rows < MANY_ROWS) {
    yield* session.execute(sql)
    return
  }
  const settings = yield* session.find(
    'SELECT threads, cache_size FROM pragma_threads, pragma_cache_size',
    [],
    { threads: integer, cacheSize: integer },
  )
  // SQLite has no setting of its own for the size of a portion: it is that of the page cache.
  yield* session.execute(`PRAGMA threads = 1; PRAGMA cache_size = -${SORTED_KIB}`)
  try {
    yield* session.execute(sql)
  } finally {
    const { threads, cacheSize } = settings ?? {}
    yield* session.execute(`PRAGMA threads = ${threads}; PRAGMA cache_size = ${cacheSize}`)
  }
}

/** Returns a function that deletes a row. */
export function rowRemover(db: WriterDatabase, table: number): (id: number) => void {
  const remove = db.cached(`DELETE FROM ${objectTable(table)} WHERE id = ?`)
  return (id) => {
    remove.run(id)
  }
}
