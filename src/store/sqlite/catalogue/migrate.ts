import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../file/connection.ts'
import { upgradeTables } from './upgrade-tables.ts'

/**
 * Brings the database to the schema of this release. The number of the last migration is kept in
 * the file's `user_version`; several processes may start at once, one of them migrates.
 */

const FOLDER = new URL('./migrations/', import.meta.url)

/** What SQL cannot do, because it depends on which tables there are. */
const STEPS: Readonly<Record<string, (db: DatabaseSync) => void>> = {
  '0004-closed-row-count.sql': upgradeTables,
}

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
    // Looked at again inside the transaction: another process may have come first.
    for (const [index, name] of migrations.entries()) {
      if (index < schemaVersion(db)) continue
      db.exec(readFileSync(new URL(name, FOLDER), 'utf8'))
      STEPS[name]?.(db)
      db.exec(`PRAGMA user_version = ${index + 1}`)
    }
  })
}

/** The number of the last migration; 0 for a database that no store was opened on. */
export function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}
