/**
 * Migrates the database to the schema of this release. `oqs_migration` has a row for every applied
 * migration, and `user_version` of the file is their number. If several processes start at once, one
 * of them migrates.
 */
import type { DatabaseSync } from 'node:sqlite'
import {
  type AppliedMigration,
  MIGRATION_TABLE,
  missingMigrations,
} from '../../core/catalogue/migrations.ts'
import { inTransaction, schemaVersion } from '../file/connection.ts'
import { SQLITE_TABLES } from './object-table.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** Tables are strict, and have no truth values. */
const WORDS = [[/\bBOOLEAN\b/g, 'INTEGER']] as const

export function migrate(db: DatabaseSync, folder = FOLDER): void {
  if (findMissing(db, folder).length === 0) return
  inTransaction(db, 'write', () => {
    // Read again inside the transaction, because another process may have migrated meanwhile.
    const missing = findMissing(db, folder)
    if (schemaVersion(db) === 0) db.exec(`${MIGRATION_TABLE} STRICT`)
    const note = db.prepare('INSERT INTO oqs_migration VALUES (?, ?, ?)')
    for (const { number, sql, checksum, objectTables } of missing) {
      db.exec(sql)
      note.run(number, checksum, objectTables)
      db.exec(`PRAGMA user_version = ${number}`)
    }
  })
}

/** Returns the migrations that a database lacks. Throws if another build created it. */
export function findMissing(db: DatabaseSync, folder = FOLDER) {
  return missingMigrations(
    { folder, words: WORDS, tables: SQLITE_TABLES },
    readApplied(db, schemaVersion(db)),
  )
}

function readApplied(db: DatabaseSync, count: number): readonly AppliedMigration[] {
  const hasTable = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'oqs_migration'`).get()
  if (hasTable === undefined) return Array(count).fill({ checksum: null, objectTables: null })
  const rows = db.prepare('SELECT checksum, object_tables FROM oqs_migration ORDER BY number').all()
  return rows.map((row) => ({
    checksum: String(row['checksum']),
    objectTables: String(row['object_tables']),
  }))
}
