import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { INDEXED_PROPERTIES_MAX } from '../../../contract/limits.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import { columnOf, type FieldNumbers } from '../../sql/field-numbers.ts'
import { type NewTable, OPEN } from '../../sql/new-table.ts'
import { readFieldNumbers } from './field-numbers.ts'

/**
 * The tables of an object type. A row is one version of one object: it was the object from commit
 * `valid_from` until commit `valid_to`, or still is while `valid_to` is open. Each property has a
 * column, in the form that conditions compare, with an index that also carries the key. What else
 * rows are found by stands in the indexes that all types share, see migrations/.
 *
 * A type has one table; a replacement of all its objects is loaded into a new one, and the old one
 * stays for as long as its versions can be read. See docs/decisions/008-replacements.md.
 */

/** Tables are named by number, so no name that people choose ever stands in SQL. */
export function objectTable(id: number): string {
  if (!Number.isSafeInteger(id)) throw new Error(`not a table number: ${id}`)
  return `object_${id}`
}

/** Notes that there is a table, and returns its number; it is made when it is first written to. */
export function addObjectTable(db: DatabaseSync, wish: NewTable): number {
  const { typeId, state, firstVersion, loadedAs } = wish
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO object_table (object_type_id, state, first_version, loaded_as, is_made)
       VALUES (?, ?, ?, ?, 0)`,
    )
    .run(typeId, state, firstVersion, loadedAs)
  return Number(lastInsertRowid)
}

/**
 * Makes a table with a column for each property that has a number. One that is to be loaded gets
 * most of its indexes when it is full, see `buildNextIndex`.
 */
export function createObjectTable(
  db: DatabaseSync,
  { typeId, id, state }: TableOfType & { readonly typeId: number },
): void {
  const table = objectTable(id)
  const columns = columnsOf(db, typeId)
  // The properties of a type that has a table already are counted already.
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
    -- Walks over the current objects; also the guard that an object is current only once.
    CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${OPEN};
    ${state === 'published' ? deferredIndexes(table, columns).map(indexSql).join(';\n') : ''}
  `)
}

/** Stands for a table that is not made yet, in statements that only read it. */
export function emptyTable({ properties }: FieldNumbers): string {
  const columns = ['id', 'valid_to', ...properties.map(({ number }) => columnOf(number))]
  return `(SELECT ${columns.map((column) => `NULL AS ${column}`).join(', ')} WHERE FALSE)`
}

/**
 * Refuses more indexes than a database can bear: after every change of its schema each connection
 * reads all of it again, on the main thread too. A store of an earlier release may have more of them
 * already: it stays in use.
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
  const reason = `the object types in use would have ${count} properties altogether, and a SQLite store indexes at most ${INDEXED_PROPERTIES_MAX}; use fewer, or PostgreSQL`
  throw new ObjectQueryError('InvalidOntologyDefinition', {
    mistakes: [{ path: `objectTypes.${row?.['name']}.properties`, reason }],
  })
}

interface Index {
  readonly name: string
  readonly on: string
}

function indexSql({ name, on }: Index): string {
  return `CREATE INDEX ${name} ON ${on}`
}

/** The indexes that nothing needs before the table is read. */
function deferredIndexes(table: string, columns: readonly string[]): Index[] {
  return [
    // Walks as of a version: what is not visible is passed over without reading its row.
    { name: `${table}_version`, on: `${table} (pk, valid_from, valid_to)` },
    // What can be reclaimed.
    { name: `${table}_closed`, on: `${table} (valid_to) WHERE valid_to < ${OPEN}` },
    ...columns.map((column) => propertyIndex(table, column)),
  ]
}

/** With the key, so that what is equal in the property is walked in key order. */
function propertyIndex(table: string, column: string): Index {
  return { name: `${table}_${column}`, on: `${table} (${column}, pk)` }
}

/** Builds one index that a loaded table still lacks; false when it has them all. */
export function buildNextIndex(db: DatabaseSync, typeId: number, id: number): boolean {
  const table = objectTable(id)
  // The schema has no index of its own: it is looked through once, not once for each name.
  const names = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?`)
    .all(table)
    .map((row) => String(row['name']))
  const there = new Set(names)
  const missing = deferredIndexes(table, columnsOf(db, typeId)).find(({ name }) => !there.has(name))
  if (missing === undefined) return false
  db.exec(indexSql(missing))
  return true
}

/** Gives every field that has none yet a number, and tables that exist its column and index. */
export function addFields(db: DatabaseSync, typeId: number, fields: readonly FieldId[]): void {
  const columns = numberFields(db, typeId, fields)
  if (columns.length === 0) return
  const tables = createdTables(db, typeId)
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

/** The tables of a type that are in use, whatever for, and are there. */
export function createdTables(db: DatabaseSync, typeId: number): readonly TableOfType[] {
  const rows = db
    .prepare(
      `SELECT id, state FROM object_table
       WHERE object_type_id = ? AND state <> 'abandoned' AND is_made = 1 ORDER BY id`,
    )
    .all(typeId)
  return rows as unknown as TableOfType[]
}

/** Gives every field that has none a number; the columns of the new properties. */
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

/** Gives up all tables of a type; reclaiming removes them, which can take long. */
export function abandonTables(db: DatabaseSync, typeId: number): void {
  db.prepare(`UPDATE object_table SET state = 'abandoned' WHERE object_type_id = ?`).run(typeId)
}

/** Takes rows out of the indexes that all types share. */
export function removeFromIndexes(db: DatabaseSync, rows: readonly number[]): void {
  const list = JSON.stringify(rows)
  const remove = (sql: string) => db.prepare(sql).run(list)
  const among = 'IN (SELECT value FROM json_each(?))'
  remove(`DELETE FROM element WHERE row ${among}`)
  remove(`DELETE FROM term WHERE rowid ${among}`)
  remove(`DELETE FROM place WHERE id IN (SELECT place FROM place_of_row WHERE row ${among})`)
  remove(`DELETE FROM place_of_row WHERE row ${among}`)
}
