/**
 * The tables of an object type. A row is one version of one object, valid from commit `valid_from`
 * until commit `valid_to`; `valid_to` of a current row is `NEVER_CLOSED`. Each property has a column, in the
 * form that conditions compare, and an index that includes the key; so does a struct field that has
 * one value. Arrays, terms and positions are in indexes that all types share, see migrations/.
 *
 * A type has one table. A replacement is loaded into a new one, and the old one remains until its
 * versions expire. See docs/decisions/008-replacements.md.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import { INDEXED_PROPERTIES_MAX } from '../../../contract/limits.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { numberFields } from '../../core/catalogue/fields.ts'
import {
  NEVER_CLOSED,
  objectTable,
  tablesOfDefinition,
} from '../../core/catalogue/object-tables.ts'
import { integer, text } from '../../core/session/session.ts'
import { runIn } from '../file/sqlite-session.ts'
import type { TimeSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { FIELD_TYPES, fieldsInLayout, fieldsOfTable, type TableFields } from './table-fields.ts'
import {
  addPropertyIndex,
  columnDefinitions,
  columnNames,
  propertyColumns,
} from './table-indexes.ts'
import { readTableLayout } from './table-layout.ts'

/**
 * Creates a table with a column for each property. It gets most of its indexes after its first rows,
 * and before it is read, see `buildNextIndex`.
 */
export function createObjectTable(
  db: WriterDatabase,
  { typeId, id }: { readonly typeId: number; readonly id: number },
): void {
  const table = objectTable(id)
  const columns = propertyColumns(fieldsOfTable(db, { typeId, id })).flatMap(columnDefinitions)
  // All rows of a load have one version. A first batch that is no load has a later one, and notes it.
  db.prepare(
    'UPDATE oqs_object_table SET is_created = 1, indexed_version = loaded_as WHERE id = ?',
  ).run(id)
  refuseTooManyIndexes(db, typeId)
  db.exec(`
    CREATE TABLE ${table} (
      id INTEGER PRIMARY KEY,
      pk TEXT NOT NULL,
      valid_from INTEGER NOT NULL,
      valid_to INTEGER NOT NULL DEFAULT ${NEVER_CLOSED},
      object_id TEXT NOT NULL,
      key TEXT NOT NULL,
      title TEXT,
      body TEXT NOT NULL,
      -- See object-checksum.ts.
      checksum INTEGER NOT NULL${columns.map((column) => `, ${column}`).join('')}
    ) STRICT;
    -- For walks over the current objects; also guarantees one current row per object.
    CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${NEVER_CLOSED};
  `)
}

/** Returns an empty subquery that replaces a table which is not created yet. */
export function emptyTable(fields: TableFields): string {
  const fixed = ['id', 'pk', 'valid_from', 'valid_to', 'object_id', 'body']
  const columns = [...fixed, ...propertyColumns(fields).flatMap(columnNames)]
  return `(SELECT ${columns.map((column) => `NULL AS ${column}`).join(', ')} WHERE FALSE)`
}

/**
 * Limits the number of indexes: after every change of the schema each connection reads all of it
 * again, on the main thread too.
 */
export function refuseTooManyIndexes(
  db: WriterDatabase,
  typeId: number,
  /** The number of properties that are not in the catalogue yet. */
  planned = 0,
): void {
  const row = runIn(db, (session) =>
    session.find(
      `SELECT coalesce(sum(properties), 0),
         (SELECT ${session.dialect.member('definition', 'apiName')} FROM oqs_object_type WHERE id = ?)
       FROM oqs_field_list WHERE table_id = 0 AND object_type_id IN (
         SELECT object_type_id FROM oqs_object_table WHERE is_created AND state <> 'abandoned'
       )`,
      [typeId],
      { count: integer, name: text },
    ),
  )
  const count = (row?.count ?? 0) + planned
  if (count <= INDEXED_PROPERTIES_MAX) return
  const reason = `the object types in use would have ${count} properties in total, and a SQLite store indexes at most ${INDEXED_PROPERTIES_MAX}; use fewer properties, or PostgreSQL`
  throw new ObjectQueryError('InvalidOntologyDefinition', {
    mistakes: [{ path: `objectTypes.${row?.name}.properties`, reason }],
  })
}

/** Assigns numbers to new fields, and adds their columns and indexes to existing tables. */
export function addFields(db: WriterDatabase, typeId: number, type: ObjectType): void {
  const [fields = []] = runIn(db, (session) =>
    numberFields(session, FIELD_TYPES, [{ typeId, type }]),
  )
  const added = fields.filter(({ valueType }) => valueType !== undefined)
  if (added.length === 0) return
  const tables = runIn(db, (session) => tablesOfDefinition(session, typeId))
  if (tables.length > 0) refuseTooManyIndexes(db, typeId)
  for (const { id, state } of tables) {
    const columns = fieldsInLayout(db, typeId, readTableLayout(db, id))
    for (const { property, structField } of added) {
      const column = columns.propertySql(property, structField)
      for (const definition of columnDefinitions(column)) {
        db.exec(`ALTER TABLE ${objectTable(id)} ADD COLUMN ${definition}`)
      }
      if (state === 'published') addPropertyIndex(db, id, column)
    }
  }
}

/** Removes rows from the indexes that all types share. */
export function removeFromIndexes(db: WriterDatabase, rows: readonly number[]): void {
  const list = JSON.stringify(rows)
  const runDelete = (sql: string) => db.prepare(sql).run(list)
  const inRows = 'IN (SELECT value FROM json_each(?))'
  runDelete(`DELETE FROM oqs_element WHERE row ${inRows}`)
  runDelete(`DELETE FROM oqs_term_index WHERE rowid ${inRows}`)
  runDelete(
    `DELETE FROM oqs_place WHERE id IN (SELECT place FROM oqs_place_of_row WHERE row ${inRows})`,
  )
  runDelete(`DELETE FROM oqs_place_of_row WHERE row ${inRows}`)
}

/** Returns a function that deletes a row, and its entries in the shared indexes. */
export function rowRemover(db: WriterDatabase, table: number): (id: number) => void {
  const remove = db.cached(`DELETE FROM ${objectTable(table)} WHERE id = ?`)
  return (id) => {
    removeFromIndexes(db, [id])
    remove.run(id)
  }
}

/** Array elements that are removed together. */
const ELEMENTS = 1000

/**
 * Removes the array elements of rows, of which a row can have many, until the step must end. Returns
 * whether none is left.
 */
export function removeElements(
  db: WriterDatabase,
  rows: readonly number[],
  slice: TimeSlice,
): boolean {
  const remove = db.cached(
    `DELETE FROM oqs_element WHERE (field, value, row) IN (
       SELECT field, value, row FROM oqs_element
       WHERE row IN (SELECT value FROM json_each(?)) LIMIT ${ELEMENTS}
     )`,
  )
  const list = JSON.stringify(rows)
  while (Number(remove.run(list).changes) === ELEMENTS) {
    if (slice.isOver(0)) return false
  }
  return true
}
