/**
 * Migrates the database to the schema of this release. `user_version` of the file is the number of
 * the last migration. If several processes start at once, one of them migrates.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../file/connection.ts'
import { schemaVersion } from '../file/schema-version.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

export function migrate(db: DatabaseSync): void {
  const migrations = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const current = schemaVersion(db)
  if (current > migrations.length) {
    throw new Error(
      `the database has schema ${current}, this release knows ${migrations.length}: run a newer release`,
    )
  }
  if (current === migrations.length) return
  inTransaction(db, 'write', () => {
    // Checked again inside the transaction, because another process may have migrated meanwhile.
    for (const [index, name] of migrations.entries()) {
      if (index < schemaVersion(db)) continue
      db.exec(readFileSync(new URL(name, FOLDER), 'utf8'))
      db.exec(`PRAGMA user_version = ${index + 1}`)
    }
  })
}
