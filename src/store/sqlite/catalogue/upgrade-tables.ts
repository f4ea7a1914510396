import type { DatabaseSync } from 'node:sqlite'
import { OPEN } from '../../sql/new-table.ts'
import { createdTables, objectTable } from './object-table.ts'

/**
 * Looks at every object table of a store of an earlier release, as the migration to past row counts
 * needs it: counts the past rows, and drops tables without any row. Earlier releases made a table
 * for every type that was defined; each slows every change of the schema.
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
