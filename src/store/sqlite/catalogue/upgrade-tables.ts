import type { DatabaseSync } from 'node:sqlite'
import { OPEN } from '../../sql/new-table.ts'
import { createdTables } from './object-table.ts'
import { objectTable } from './table-name.ts'

/**
 * Upgrades the object tables of an earlier release: counts their closed rows, and drops tables
 * without rows. Earlier releases created a table for every defined type, and each table slows down
 * every change of the schema.
 */
export function upgradeTables(db: DatabaseSync): void {
  const types = db.prepare('SELECT id FROM object_type').all()
  for (const { id, state } of types.flatMap((type) => createdTables(db, Number(type['id'])))) {
    const table = objectTable(id)
    if (db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined) {
      db.exec(`DROP TABLE ${table}`)
      db.prepare('UPDATE object_table SET is_made = 0 WHERE id = ?').run(id)
    } else if (state === 'published') {
      db.prepare(
        `UPDATE object_table SET past_count = (
           SELECT count(*) FROM ${table} INDEXED BY ${table}_closed WHERE valid_to < ${OPEN}
         ) WHERE id = ?`,
      ).run(id)
    }
  }
}

/** Adds the index of object ids to the tables of an earlier release. */
export function addObjectIdIndexes(db: DatabaseSync): void {
  const types = db.prepare('SELECT id FROM object_type').all()
  for (const { id, state } of types.flatMap((type) => createdTables(db, Number(type['id'])))) {
    const table = objectTable(id)
    if (state === 'published') {
      db.exec(`CREATE INDEX IF NOT EXISTS ${table}_object_id ON ${table} (object_id)`)
    }
  }
}

/** Adds the column of checksums to existing tables. Their rows have none until they are written again. */
export function addChecksums(db: DatabaseSync): void {
  const tables = db
    .prepare(
      `SELECT id FROM object_table WHERE is_made = 1 AND EXISTS (
         SELECT 1 FROM sqlite_schema WHERE name = 'object_' || object_table.id
       ) AND NOT EXISTS (
         SELECT 1 FROM pragma_table_info('object_' || object_table.id) WHERE name = 'checksum'
       )`,
    )
    .all()
  for (const { id } of tables) {
    db.exec(`ALTER TABLE ${objectTable(Number(id))} ADD COLUMN checksum INTEGER`)
  }
}
