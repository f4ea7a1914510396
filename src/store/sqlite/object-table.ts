import type { DatabaseSync } from 'node:sqlite'
import type { FieldId } from '../../ontology/searchable-values.ts'
import { columnOf, readFieldNumbers } from './field-numbers.ts'

/**
 * The table of one object type. A row is one version of one object: it was the object from commit
 * `valid_from` until commit `valid_to`, or still is while `valid_to` is open. Each property has a
 * column, in the form that conditions compare, with an index that also carries the key. What else
 * rows are found by stands in the indexes that all types share, see migrations/.
 */

/** The `valid_to` of a current row: larger than every version, and exact as a double. */
export const OPEN = Number.MAX_SAFE_INTEGER

/** Tables are named by number, so no name that people choose ever stands in SQL. */
export function objectTable(id: number): string {
  if (!Number.isSafeInteger(id)) throw new Error(`not a table number: ${id}`)
  return `object_${id}`
}

/** Columns are made with the table: adding them one by one reads the whole schema each time. */
export function createObjectTable(db: DatabaseSync, id: number, fields: readonly FieldId[]): void {
  const table = objectTable(id)
  const columns = numberFields(db, id, fields)
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
    ${columns.map((column) => propertyIndex(table, column)).join('\n')}
    -- Walks over the current objects; also the guard that an object is current only once.
    CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${OPEN};
    -- Walks as of a version: what is not visible is passed over without reading its row.
    CREATE INDEX ${table}_version ON ${table} (pk, valid_from, valid_to);
    -- What can be reclaimed.
    CREATE INDEX ${table}_closed ON ${table} (valid_to) WHERE valid_to < ${OPEN};

  `)
}

/** Gives the fields that a changed definition adds their numbers, columns and indexes. */
export function addFields(db: DatabaseSync, id: number, fields: readonly FieldId[]): void {
  const table = objectTable(id)
  for (const column of numberFields(db, id, fields)) {
    db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ANY; ${propertyIndex(table, column)}`)
  }
}

/** Gives every field that has none a number; the columns of the new properties. */
function numberFields(db: DatabaseSync, id: number, fields: readonly FieldId[]): string[] {
  const numbers = readFieldNumbers(db, id)
  const add = db.prepare(
    'INSERT INTO object_field (object_type_id, property, struct_field) VALUES (?, ?, ?)',
  )
  return fields
    .filter((field) => !numbers.has(field))
    .flatMap(({ property, structField }) => {
      const { lastInsertRowid } = add.run(id, property, structField ?? null)
      return structField === undefined ? [columnOf(Number(lastInsertRowid))] : []
    })
}

/** With the key, so that what is equal in the property is walked in key order. */
function propertyIndex(table: string, column: string): string {
  return `CREATE INDEX ${table}_${column} ON ${table} (${column}, pk);`
}

export function dropObjectTable(db: DatabaseSync, id: number): void {
  const table = objectTable(id)
  forgetRows(db, `SELECT id FROM ${table}`)
  db.exec(`DROP TABLE ${table}`)
  db.prepare('DELETE FROM object_field WHERE object_type_id = ?').run(id)
}

/** Takes rows out of the indexes that all types share; `rows` is a query for their numbers. */
export function forgetRows(db: DatabaseSync, rows: string, ...values: readonly string[]): void {
  const remove = (sql: string) => db.prepare(sql).run(...values)
  remove(`DELETE FROM element WHERE row IN (${rows})`)
  remove(`DELETE FROM term WHERE rowid IN (${rows})`)
  remove(`DELETE FROM place WHERE id IN (SELECT place FROM place_of_row WHERE row IN (${rows}))`)
  remove(`DELETE FROM place_of_row WHERE row IN (${rows})`)
}
