import type { DatabaseSync } from 'node:sqlite'

/**
 * The table of one object type. A row is one version of one object: it was the object from commit
 * `valid_from` until commit `valid_to`, or still is while `valid_to` is open.
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
      id INTEGER PRIMARY KEY,
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
  `)
}

export function dropObjectTable(db: DatabaseSync, id: number): void {
  db.exec(`DROP TABLE ${objectTable(id)}`)
}
