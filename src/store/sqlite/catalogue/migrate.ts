/**
 * Migrates the database to the schema of this release. `user_version` of the file is the number of
 * the last migration. If several processes start at once, one of them migrates.
 */
import type { DatabaseSync } from 'node:sqlite'
import { missingMigrations } from '../../core/catalogue/migrations.ts'
import { inTransaction, schemaVersion } from '../file/connection.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

export function migrate(db: DatabaseSync, folder = FOLDER): void {
  if (missingMigrations(folder, schemaVersion(db)).length === 0) return
  inTransaction(db, 'write', () => {
    // Read again inside the transaction, because another process may have migrated meanwhile.
    for (const { number, readSql } of missingMigrations(folder, schemaVersion(db))) {
      db.exec(readSql())
      db.exec(`PRAGMA user_version = ${number}`)
    }
  })
}
