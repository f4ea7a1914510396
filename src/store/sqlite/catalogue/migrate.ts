/**
 * Migrates the database to the schema of this release. `user_version` of the file is the number of
 * the last migration. If several processes start at once, one of them migrates.
 */
import type { DatabaseSync } from 'node:sqlite'
import { missingMigrations } from '../../core/catalogue/migrations.ts'
import { inTransaction, schemaVersion } from '../file/connection.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** Tables are strict, and have no truth values. */
const WORDS = [[/\bBOOLEAN\b/g, 'INTEGER']] as const

export function migrate(db: DatabaseSync, folder = FOLDER): void {
  const migrations = { folder, words: WORDS }
  if (missingMigrations(migrations, schemaVersion(db)).length === 0) return
  inTransaction(db, 'write', () => {
    // Read again inside the transaction, because another process may have migrated meanwhile.
    for (const { number, readSql } of missingMigrations(migrations, schemaVersion(db))) {
      db.exec(readSql())
      db.exec(`PRAGMA user_version = ${number}`)
    }
  })
}
