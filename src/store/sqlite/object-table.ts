import type { DatabaseSync } from 'node:sqlite'
import type { FieldId } from '../../ontology/searchable-values.ts'
import { columnOf, readFieldNumbers } from './field-numbers.ts'

/**
 * The tables of one object type.
 *
 * `object_N`: a row is one version of one object. It was the object from commit `valid_from` until
 * commit `valid_to`, or still is while `valid_to` is open. Each property has a column, in the form
 * that conditions compare, with an index that also carries the key.
 * `object_N_element`: the values of arrays and structs.
 * `object_N_text`: the terms of texts, `object_N_vocabulary`: each term once.
 * `object_N_point`: places, in an R-tree.
 */

/** The `valid_to` of a current row: larger than every version, and exact as a double. */
export const OPEN = Number.MAX_SAFE_INTEGER

/** Tables are named by number, so no name that people choose ever stands in SQL. */
export function objectTable(id: number): string {
  if (!Number.isSafeInteger(id)) throw new Error(`not a table number: ${id}`)
  return `object_${id}`
}

export function createObjectTable(db: DatabaseSync, id: number): void {
  const table = objectTable(id)
  db.exec(`
    CREATE TABLE ${table} (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      pk TEXT NOT NULL,
      valid_from INTEGER NOT NULL,
      valid_to INTEGER NOT NULL DEFAULT ${OPEN},
      object_id TEXT NOT NULL,
      key TEXT NOT NULL,
      title TEXT,
      body TEXT NOT NULL
    ) STRICT;
    -- Walks over the current objects; also the guard that an object is current only once.
    CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${OPEN};
    -- Walks as of a version: what is not visible is passed over without reading its row.
    CREATE INDEX ${table}_version ON ${table} (pk, valid_from, valid_to);
    -- What can be reclaimed.
    CREATE INDEX ${table}_closed ON ${table} (valid_to) WHERE valid_to < ${OPEN};

    CREATE TABLE ${table}_element (
      field INTEGER NOT NULL,
      value ANY NOT NULL,
      row INTEGER NOT NULL,
      PRIMARY KEY (field, value, row)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ${table}_element_row ON ${table}_element (row);

    CREATE VIRTUAL TABLE ${table}_text USING fts5(
      by_field, anywhere, content = '', contentless_delete = 1, tokenize = 'ascii'
    );
    CREATE VIRTUAL TABLE ${table}_vocabulary USING fts5vocab(${table}_text, row);

    CREATE VIRTUAL TABLE ${table}_point USING rtree(
      id, min_longitude, max_longitude, min_latitude, max_latitude,
      +row INTEGER, +longitude REAL, +latitude REAL
    );
  `)
}

/** Gives every field that has none a number, and every property its column and index. */
export function addFields(db: DatabaseSync, id: number, fields: readonly FieldId[]): void {
  const table = objectTable(id)
  const numbers = readFieldNumbers(db, id)
  const add = db.prepare(
    'INSERT INTO object_field (object_type_id, number, property, struct_field) VALUES (?, ?, ?, ?)',
  )
  let { next } = numbers
  for (const field of fields) {
    if (numbers.has(field)) continue
    add.run(id, next, field.property, field.structField ?? null)
    if (field.structField === undefined) {
      const column = columnOf(next)
      db.exec(`
        ALTER TABLE ${table} ADD COLUMN ${column} ANY;
        CREATE INDEX ${table}_${column} ON ${table} (${column}, pk);
      `)
    }
    next += 1
  }
}

export function dropObjectTable(db: DatabaseSync, id: number): void {
  const table = objectTable(id)
  db.exec(`
    DROP TABLE ${table}_point;
    DROP TABLE ${table}_vocabulary;
    DROP TABLE ${table}_text;
    DROP TABLE ${table}_element;
    DROP TABLE ${table};
  `)
  db.prepare('DELETE FROM object_field WHERE object_type_id = ?').run(id)
}
