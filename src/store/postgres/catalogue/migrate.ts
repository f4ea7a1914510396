/**
 * Migrates the database to the schema of this release. `oqs_migration` has a row for every applied
 * migration. If several nodes start at once, one of them migrates and the others wait for it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { distributeFunctions, readCapabilities } from '../citus/capabilities.ts'
import type { Database, Session } from '../driver/database.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** The advisory lock of migrations: an arbitrary number that nothing else uses. */
const MIGRATION_LOCK = 7_067_328_001

export async function migrate(database: Database): Promise<void> {
  const migrations = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const applied = await database.read(schemaVersion)
  refuseNewer(applied, migrations.length)
  for (const [index, name] of migrations.entries()) {
    if (index < applied) continue
    await database.write(async (session) => {
      // Checked under the lock, because another node may have migrated meanwhile.
      await lockMigrations(session)
      const current = await schemaVersion(session)
      refuseNewer(current, migrations.length)
      if (index < current) return
      if (current === 0) await session.query('CREATE TABLE oqs_migration (number bigint NOT NULL)')
      await session.extendTimeout()
      await session.query(readFileSync(new URL(name, FOLDER), 'utf8'))
      await session.run('INSERT INTO oqs_migration (number) VALUES (?)', [index + 1])
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

function refuseNewer(current: number, known: number): void {
  if (current <= known) return
  throw new Error(
    `the database has schema ${current}, this release knows ${known}: run a newer release`,
  )
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
