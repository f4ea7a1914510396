/**
 * The tables of an object type. A row is one version of one object, valid from commit `valid_from`
 * until commit `valid_to`; `valid_to` of a current row is `OPEN`. Each property has a column, in the
 * form that conditions compare, and an index that includes the key. Arrays, terms and positions are
 * in indexes that all types share, see migrations/.
 *
 * A type has one table. A replacement is loaded into a new one, and the old one remains until its
 * versions expire. See docs/decisions/008-replacements.md.
 */
import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { INDEXED_PROPERTIES_MAX } from '../../../contract/limits.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import { columnOf, type FieldNumbers } from '../../sql/field-numbers.ts'
import { type NewTable, OPEN } from '../../sql/new-table.ts'
import { readFieldNumbers } from './field-numbers.ts'

/** Returns the name of a table. It contains a number, so no name of a user ever appears in SQL. */
export function objectTable(id: number): string {
  if (!Number.isSafeInteger(id)) throw new Error(`not a table number: ${id}`)
  return `object_${id}`
}

/** Adds a table to the catalogue and returns its number. It is created when first written to. */
export function addObjectTable(db: DatabaseSync, table: NewTable): number {
  const { typeId, state, firstVersion, loadedAs } = table
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO object_table (object_type_id, state, first_version, loaded_as, is_made)
       VALUES (?, ?, ?, ?, 0)`,
    )
    .run(typeId, state, firstVersion, loadedAs)
  return Number(lastInsertRowid)
}

/**
 * Creates a table with a column for each property. It gets most of its indexes after its first rows,
 * and before it is read, see `buildNextIndex`.
 */
export function createObjectTable(
  db: DatabaseSync,
  { typeId, id }: { readonly typeId: number; readonly id: number },
): void {
  const table = objectTable(id)
  const columns = columnsOf(db, typeId)
  // Properties of a type that already has a table are counted already.
  const added = createdTables(db, typeId).length > 0 ? 0 : columns.length
  db.prepare('UPDATE object_table SET is_made = 1 WHERE id = ?').run(id)
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
      body TEXT NOT NULL${columns.map((column) => `, ${column} ANY`).join('')}
    ) STRICT;
    -- For walks over the current objects; also guarantees one current row per object.
    CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${OPEN};
  `)
}

/** Returns an empty subquery that replaces a table which is not created yet. */
export function emptyTable({ properties }: FieldNumbers): string {
  const fixed = ['id', 'valid_from', 'valid_to', 'object_id', 'body']
  const columns = [...fixed, ...properties.map(({ number }) => columnOf(number))]
  return `(SELECT ${columns.map((column) => `NULL AS ${column}`).join(', ')} WHERE FALSE)`
}

/**
 * Limits the number of indexes: after every change of the schema each connection reads all of it
 * again, on the main thread too. A store of an earlier release that exceeds the limit stays usable.
 */
function refuseTooManyIndexes(db: DatabaseSync, typeId: number, added: number): void {
  const row = db
    .prepare(
      `SELECT count(*) AS count,
         (SELECT definition ->> 'apiName' FROM object_type WHERE id = ?) AS name
       FROM object_field WHERE struct_field IS NULL AND object_type_id IN (
         SELECT object_type_id FROM object_table WHERE is_made = 1 AND state <> 'abandoned'
       )`,
    )
    .get(typeId)
  const count = Number(row?.['count'])
  const hadTooMany = count - added > INDEXED_PROPERTIES_MAX
  if (count <= INDEXED_PROPERTIES_MAX || hadTooMany) return
  const reason = `the object types in use would have ${count} properties in total, and a SQLite store indexes at most ${INDEXED_PROPERTIES_MAX}; use fewer properties, or PostgreSQL`
  throw new ObjectQueryError('InvalidOntologyDefinition', {
    mistakes: [{ path: `objectTypes.${row?.['name']}.properties`, reason }],
  })
}

interface Index {
  readonly name: string
  readonly on: string
}

function indexSql({ name, on }: Index): string {
  return `CREATE INDEX IF NOT EXISTS ${name} ON ${on}`
}

/** The indexes that are not needed before the table is read. */
function deferredIndexes(table: string, columns: readonly string[]): Index[] {
  return [
    // For walks as of a version: rows that are not visible are skipped without reading them.
    { name: `${table}_version`, on: `${table} (pk, valid_from, valid_to)` },
    // For reclaim.
    { name: `${table}_closed`, on: `${table} (valid_to) WHERE valid_to < ${OPEN}` },
    objectIdIndex(table),
    ...columns.map((column) => propertyIndex(table, column)),
  ]
}

/** For object sets that list RIDs. */
function objectIdIndex(table: string): Index {
  return { name: `${table}_object_id`, on: `${table} (object_id)` }
}

/** Adds the index of object ids to the tables of an earlier release. */
export function addObjectIdIndexes(db: DatabaseSync): void {
  const types = db.prepare('SELECT id FROM object_type').all()
  for (const { id, state } of types.flatMap((type) => createdTables(db, Number(type['id'])))) {
    if (state === 'published') db.exec(indexSql(objectIdIndex(objectTable(id))))
  }
}

/** Includes the key, so that rows with equal values are walked in key order. */
function propertyIndex(table: string, column: string): Index {
  return { name: `${table}_${column}`, on: `${table} (${column}, pk)` }
}

/** Returns the name of the index of a property. */
export function propertyIndexName(table: string, number: number): string {
  return propertyIndex(table, columnOf(number)).name
}

/** Builds one missing index of a loaded table. Returns false if there is none. */
export function buildNextIndex(db: DatabaseSync, typeId: number, id: number): boolean {
  const table = objectTable(id)
  // The schema table has no index, so it is scanned once and not once per name.
  const names = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?`)
    .all(table)
    .map((row) => String(row['name']))
  const existing = new Set(names)
  const missing = deferredIndexes(table, columnsOf(db, typeId)).find(
    ({ name }) => !existing.has(name),
  )
  if (missing === undefined) return false
  db.exec(indexSql(missing))
  return true
}

/** Builds all missing indexes of a table, within the transaction that wrote its rows. */
export function buildIndexes(db: DatabaseSync, typeId: number, id: number): void {
  const indexes = deferredIndexes(objectTable(id), columnsOf(db, typeId))
  db.exec(indexes.map(indexSql).join(';\n'))
}

/** Drops the indexes that `buildIndexes` builds, for a transaction that writes many rows. */
export function dropIndexes(db: DatabaseSync, typeId: number, id: number): void {
  const indexes = deferredIndexes(objectTable(id), columnsOf(db, typeId))
  db.exec(indexes.map(({ name }) => `DROP INDEX IF EXISTS ${name}`).join(';\n'))
}

/** Assigns numbers to new fields, and adds their columns and indexes to existing tables. */
export function addFields(db: DatabaseSync, typeId: number, fields: readonly FieldId[]): void {
  const columns = numberFields(db, typeId, fields)
  if (columns.length === 0) return
  const tables = tablesOfDefinition(db, typeId)
  if (tables.length > 0) refuseTooManyIndexes(db, typeId, columns.length)
  for (const { id, state } of tables) {
    const table = objectTable(id)
    for (const column of columns) {
      db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ANY`)
      if (state === 'published') db.exec(indexSql(propertyIndex(table, column)))
    }
  }
}

export interface TableOfType {
  readonly id: number
  readonly state: 'loading' | 'published'
}

/** Returns the created tables of a type that are loading or published. */
export function createdTables(db: DatabaseSync, typeId: number): readonly TableOfType[] {
  const rows = db
    .prepare(
      `SELECT id, state FROM object_table
       WHERE object_type_id = ? AND state <> 'abandoned' AND is_made = 1 ORDER BY id`,
    )
    .all(typeId)
  return rows as unknown as TableOfType[]
}

/** Returns the created tables whose objects have the form of the current definition. */
export function tablesOfDefinition(db: DatabaseSync, typeId: number): readonly TableOfType[] {
  const type = db.prepare('SELECT redefined_table FROM object_type WHERE id = ?').get(typeId)
  return createdTables(db, typeId).filter(({ id }) => id >= Number(type?.['redefined_table']))
}

/** Assigns a number to every new field, and returns the columns of the new properties. */
export function numberFields(
  db: DatabaseSync,
  typeId: number,
  fields: readonly FieldId[],
): string[] {
  const numbers = readFieldNumbers(db, typeId)
  const add = db.prepare(
    'INSERT INTO object_field (object_type_id, property, struct_field) VALUES (?, ?, ?)',
  )
  return fields
    .filter((field) => !numbers.has(field))
    .flatMap(({ property, structField }) => {
      const { lastInsertRowid } = add.run(typeId, property, structField ?? null)
      return structField === undefined ? [columnOf(Number(lastInsertRowid))] : []
    })
}

function columnsOf(db: DatabaseSync, typeId: number): string[] {
  return readFieldNumbers(db, typeId).properties.map(({ number }) => columnOf(number))
}

/** Marks all tables of a type as abandoned; reclaim removes them, which can take long. */
export function abandonTables(db: DatabaseSync, typeId: number): void {
  db.prepare(`UPDATE object_table SET state = 'abandoned' WHERE object_type_id = ?`).run(typeId)
}

/** Removes rows from the indexes that all types share. */
export function removeFromIndexes(db: DatabaseSync, rows: readonly number[]): void {
  const list = JSON.stringify(rows)
  const runDelete = (sql: string) => db.prepare(sql).run(list)
  const inRows = 'IN (SELECT value FROM json_each(?))'
  runDelete(`DELETE FROM element WHERE row ${inRows}`)
  runDelete(`DELETE FROM term WHERE rowid ${inRows}`)
  runDelete(`DELETE FROM place WHERE id IN (SELECT place FROM place_of_row WHERE row ${inRows})`)
  runDelete(`DELETE FROM place_of_row WHERE row ${inRows}`)
}
