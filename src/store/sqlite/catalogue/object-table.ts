/**
 * The tables of an object type. A row is one version of one object, valid from commit `valid_from`
 * until commit `valid_to`; `valid_to` of a current row is `OPEN`. Each property has a column, in the
 * form that conditions compare, and an index that includes the key; so does a struct field that has
 * one value. Arrays, terms and positions are in indexes that all types share, see migrations/.
 *
 * A type has one table. A replacement is loaded into a new one, and the old one remains until its
 * versions expire. See docs/decisions/008-replacements.md.
 */
import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { INDEXED_PROPERTIES_MAX, INDEXED_STRUCT_FIELDS_MAX } from '../../../contract/limits.ts'
import { PATH_SEPARATOR } from '../../../ontology/definition/struct-path.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { fieldKey, fieldsOf, type TypeField } from '../../../ontology/values/searchable-values.ts'
import { storedPath } from '../../sql/field-numbers.ts'
import { type NewTable, OPEN } from '../../sql/new-table.ts'
import {
  readFieldNumbers,
  readFieldsOfTable,
  readTableFields,
  type TableFields,
} from './field-numbers.ts'
import { readObjectType } from './read-object-type.ts'
import {
  addPropertyIndex,
  columnDefinitions,
  columnNames,
  propertyColumns,
} from './table-indexes.ts'
import { CURRENT_LAYOUT, readTableLayout, type TableLayout } from './table-layout.ts'
import { objectTable } from './table-name.ts'

/** Adds a table to the catalogue and returns its number. It is created when first written to. */
export function addObjectTable(db: DatabaseSync, table: NewTable): number {
  const { typeId, state, firstVersion, loadedAs } = table
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO oqs_object_table (object_type_id, state, first_version, loaded_as, is_created, layout)
       VALUES (?, ?, ?, ?, 0, ${CURRENT_LAYOUT})`,
    )
    .run(typeId, state, firstVersion, loadedAs)
  return Number(lastInsertRowid)
}

/**
 * Creates a table with a column for each property. It gets most of its indexes after its first rows,
 * and before it is read, see `buildNextIndex`. The type is the current one, unless the table is for
 * objects of another definition.
 */
export function createObjectTable(
  db: DatabaseSync,
  { typeId, id }: { readonly typeId: number; readonly id: number },
  type = readObjectType(db, typeId),
): void {
  const table = objectTable(id)
  const layout = readTableLayout(db, id)
  const keyProperty = textKeyOf(type)
  const stored = readFieldsOfTable(db, { typeId, id }, { ...layout, keyProperty })
  const hasOwnColumn = (field: TypeField) =>
    stored.hasColumn(field) && field.property !== keyProperty
  const integerTimes = timestampsIn(fieldsOf(type.properties.values()).filter(hasOwnColumn))
  const fields = stored.inLayout({ ...stored.layout, integerTimes: new Set(integerTimes) })
  const columns = propertyColumns(fields).flatMap(columnDefinitions)
  // Properties of a type that already has a table are counted already.
  const added = createdTables(db, typeId).length > 0 ? 0 : fields.properties.length
  // All rows of a load have one version. A first batch that is no load has a later one, and notes it.
  db.prepare(
    `UPDATE oqs_object_table SET is_created = 1, key_property = ?, integer_times = ?,
       indexed_version = loaded_as WHERE id = ?`,
  ).run(keyProperty ?? null, JSON.stringify(integerTimes), id)
  refuseTooManyIndexes(db, typeId, added)
  db.exec(`
    CREATE TABLE ${table} (
      id INTEGER PRIMARY KEY,
      pk TEXT NOT NULL,
      valid_from INTEGER NOT NULL,
      valid_to INTEGER NOT NULL DEFAULT ${OPEN},
      object_id TEXT NOT NULL,
      key TEXT NOT NULL,
      title TEXT,
      body TEXT NOT NULL,
      -- See object-checksum.ts.
      checksum INTEGER NOT NULL${columns.map((column) => `, ${column}`).join('')}
    ) STRICT;
    -- For walks over the current objects; also guarantees one current row per object.
    CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${OPEN};
  `)
}

/** Types of keys whose stored text is also the column value. */
const TEXT_KEYS: ReadonlySet<string> = new Set(['string', 'date', 'timestamp'])

/** Returns the key property if its value is the stored key, so that it needs no column. */
function textKeyOf({ primaryKey: { apiName, type } }: ObjectType): string | undefined {
  return TEXT_KEYS.has(type) ? apiName : undefined
}

function timestampsIn(columns: readonly TypeField[]): string[] {
  return columns.filter(({ isTimestamp }) => isTimestamp).map(fieldKey)
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
  db: DatabaseSync,
  typeId: number,
  _added: number,
  /** How many of them are not in the catalogue yet. */
  planned = 0,
): void {
  const row = db
    .prepare(
      `SELECT count(*) AS count,
         (SELECT definition ->> 'apiName' FROM oqs_object_type WHERE id = ?) AS name
       FROM oqs_object_field WHERE struct_field IS NULL AND object_type_id IN (
         SELECT object_type_id FROM oqs_object_table WHERE is_created = 1 AND state <> 'abandoned'
       )`,
    )
    .get(typeId)
  const count = Number(row?.['count']) + planned
  if (count <= INDEXED_PROPERTIES_MAX) return
  const reason = `the object types in use would have ${count} properties in total, and a SQLite store indexes at most ${INDEXED_PROPERTIES_MAX}; use fewer properties, or PostgreSQL`
  throw new ObjectQueryError('InvalidOntologyDefinition', {
    mistakes: [{ path: `objectTypes.${row?.['name']}.properties`, reason }],
  })
}

/** Assigns numbers to new fields, and adds their columns and indexes to existing tables. */
export function addFields(db: DatabaseSync, typeId: number, fields: readonly TypeField[]): void {
  const added = numberFields(db, typeId, fields)
  if (added.length === 0) return
  const tables = tablesOfDefinition(db, typeId)
  const properties = added.filter(({ structField }) => structField === undefined)
  if (tables.length > 0) refuseTooManyIndexes(db, typeId, properties.length)
  for (const { id, state } of tables) {
    const columns = readTableFields(db, typeId, addIntegerTimes(db, id, added))
    for (const { property, structField } of added) {
      const column = columns.propertySql(property, structField)
      for (const definition of columnDefinitions(column)) {
        db.exec(`ALTER TABLE ${objectTable(id)} ADD COLUMN ${definition}`)
      }
      if (state === 'published') addPropertyIndex(db, id, column)
    }
  }
}

/** Records which new fields of a table are indexed as integers. Returns its layout. */
function addIntegerTimes(db: DatabaseSync, id: number, added: readonly TypeField[]): TableLayout {
  const layout = readTableLayout(db, id)
  const integerTimes = new Set([...layout.integerTimes, ...timestampsIn(added)])
  db.prepare('UPDATE oqs_object_table SET integer_times = ? WHERE id = ?').run(
    JSON.stringify([...integerTimes]),
    id,
  )
  return { ...layout, integerTimes }
}

export interface TableOfType {
  readonly id: number
  readonly state: 'loading' | 'rewriting' | 'published'
}

/** Returns the created tables of a type, except those that are abandoned. */
export function createdTables(db: DatabaseSync, typeId: number): readonly TableOfType[] {
  const rows = db
    .prepare(
      `SELECT id, state FROM oqs_object_table
       WHERE object_type_id = ? AND state <> 'abandoned' AND is_created = 1 ORDER BY id`,
    )
    .all(typeId)
  return rows as unknown as TableOfType[]
}

/** Returns the created tables whose objects have the form of the current definition. */
export function tablesOfDefinition(db: DatabaseSync, typeId: number): readonly TableOfType[] {
  const type = db.prepare('SELECT redefined_table FROM oqs_object_type WHERE id = ?').get(typeId)
  return createdTables(db, typeId).filter(({ id }) => id >= Number(type?.['redefined_table']))
}

/** Assigns a number to every new field, and returns those with a column. */
export function numberFields(
  db: DatabaseSync,
  typeId: number,
  fields: readonly TypeField[],
): readonly TypeField[] {
  const numbers = readFieldNumbers(db, typeId)
  const add = db.prepare(
    'INSERT INTO oqs_object_field (object_type_id, property, struct_field) VALUES (?, ?, ?)',
  )
  const added = placeFields(
    db,
    fields.filter((field) => !numbers.has(field)),
  )
  for (const { property, path } of added) add.run(typeId, property, path)
  return added.filter(({ hasColumn }) => hasColumn)
}

interface PlacedField extends TypeField {
  readonly hasColumn: boolean
  /** The path inside the struct, as the catalogue stores it. */
  readonly path: string | null
}

/**
 * Decides which fields get a column. A struct field gets one as long as there are few in the store;
 * the values of others are stored like those of arrays.
 */
function placeFields(db: DatabaseSync, fields: readonly TypeField[]): readonly PlacedField[] {
  let free = fields.some(isStructColumn) ? freeStructColumns(db) : 0
  return fields.map((field) => {
    const { structField } = field
    const hasColumn = structField === undefined || (isStructColumn(field) && free > 0)
    if (structField !== undefined && hasColumn) free -= 1
    return { ...field, hasColumn, path: storedPath(structField, hasColumn) }
  })
}

function isStructColumn({ structField, isColumn }: TypeField): boolean {
  return structField !== undefined && isColumn
}

/** Returns how many more struct fields can have a column. */
function freeStructColumns(db: DatabaseSync): number {
  const row = db
    .prepare(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM (
           SELECT struct_field FROM oqs_object_field UNION ALL SELECT struct_field FROM oqs_table_field
         ) WHERE substr(struct_field, 1, 1) = ? LIMIT ?
       )`,
    )
    .get(PATH_SEPARATOR, INDEXED_STRUCT_FIELDS_MAX)
  return INDEXED_STRUCT_FIELDS_MAX - Number(row?.['count'])
}

/**
 * Assigns new numbers to all fields of a table whose objects have another definition than their type.
 * Values of the two definitions never share a column or an entry of a shared index.
 */
export function numberTableFields(db: DatabaseSync, table: number, type: ObjectType): void {
  const fields = placeFields(db, fieldsOf(type.properties.values()))
  const row = db
    .prepare(
      `UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'oqs_object_field' RETURNING seq`,
    )
    .get(fields.length)
  const first = Number(row?.['seq']) - fields.length + 1
  const add = db.prepare(
    'INSERT INTO oqs_table_field (number, table_id, property, struct_field) VALUES (?, ?, ?, ?)',
  )
  for (const [index, { property, path }] of fields.entries()) {
    add.run(first + index, table, property, path)
  }
}

/** Makes the fields of a table those of its type. */
export function adoptTableFields(db: DatabaseSync, typeId: number, table: number): void {
  db.prepare('DELETE FROM oqs_object_field WHERE object_type_id = ?').run(typeId)
  db.prepare(
    `INSERT INTO oqs_object_field (number, object_type_id, property, struct_field)
     SELECT number, ?, property, struct_field FROM oqs_table_field WHERE table_id = ?`,
  ).run(typeId, table)
  db.prepare('DELETE FROM oqs_table_field WHERE table_id = ?').run(table)
}

/** Marks all tables of a type as abandoned; reclaim removes them, which can take long. */
export function abandonTables(db: DatabaseSync, typeId: number): void {
  db.prepare(`UPDATE oqs_object_table SET state = 'abandoned' WHERE object_type_id = ?`).run(typeId)
}

/** Removes rows from the indexes that all types share. */
export function removeFromIndexes(db: DatabaseSync, rows: readonly number[]): void {
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
