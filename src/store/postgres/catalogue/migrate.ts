/**
 * Migrates the database to the schema of this release. `oqs_migration` has a row for every applied
 * migration. If several nodes start at once, one of them migrates and the others wait for it.
 */
import { missingMigrations } from '../../core/catalogue/migrations.ts'
import { distributeFunctions, readCapabilities } from '../citus/capabilities.ts'
import type { Database, Session } from '../driver/database.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** The advisory lock of migrations: an arbitrary number that nothing else uses. */
const MIGRATION_LOCK = 7_067_328_001

export async function migrate(database: Database, folder = FOLDER): Promise<void> {
  const applied = await database.read(schemaVersion)
  if (missingMigrations(folder, applied).length > 0) {
    await database.write(async (session) => {
      await lockMigrations(session)
      // Read again under the lock, because another node may have migrated meanwhile.
      const current = await schemaVersion(session)
      if (current === 0) await session.query('CREATE TABLE oqs_migration (number bigint NOT NULL)')
      for (const { number, readSql } of missingMigrations(folder, current)) {
        await session.extendTimeout()
        await session.query(readSql())
        await session.run('INSERT INTO oqs_migration (number) VALUES (?)', [number])
      }
    })
  }
  if (!(await database.read(readCapabilities)).isDistributed) return
  await database.write(async (session) => {
    await lockMigrations(session)
    await distributeFunctions(session)
  })
}

async function lockMigrations(session: Session): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock(?)', [MIGRATION_LOCK])
}

async function schemaVersion(session: Session): Promise<number> {
  // Not `to_regclass`, which may use a snapshot from before the lock was acquired.
  const tables = await session.query(
    `SELECT 1 FROM pg_class WHERE relname = 'oqs_migration' AND pg_table_is_visible(oid)`,
  )
  if (tables.length === 0) return 0
  const [row] = await session.query('SELECT coalesce(max(number), 0) FROM oqs_migration')
  return Number(row?.[0])
}
