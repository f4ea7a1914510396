/**
 * Builds the indexes of fields that were added to large tables, while readers and writers go on.
 * Without the index, a page reads all rows, but finds the same objects.
 */
import { listMissingIndexes } from '../../core/catalogue/build-table.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { objectTablesOf } from '../catalogue/object-table.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { Session } from '../driver/database.ts'
import { readIn } from '../driver/postgres-session.ts'

/** Held by the node that builds: an arbitrary number that nothing else uses. */
const BUILDING_LOCK = 7_067_328_003

/** Builds the missing indexes of one table, unless another node does. */
export async function buildLateIndexes({ database, capabilities }: PostgresContext): Promise<void> {
  const [row] = await database.query(
    `SELECT t.id, o.id, o.unindexed_fields
     FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
     WHERE o.is_created AND o.unindexed_fields <> '{}' ORDER BY o.id LIMIT 1`,
  )
  if (row === undefined) return
  const [typeId, id, unindexed] = row as [number, number, string]
  const tables = objectTablesOf(capabilities)
  const isBuilt = await database.runUnlimited((session) =>
    withLock(session, async () => {
      await dropInvalid(session, objectTable(id))
      const missing = await readIn(session, (reading) =>
        listMissingIndexes({ session: reading, tables }, { typeId, id }),
      )
      for (const { sql } of missing) {
        await session.query(sql.replace('CREATE INDEX', 'CREATE INDEX CONCURRENTLY'))
      }
    }),
  )
  if (!isBuilt) return
  // Other fields may have been added meanwhile.
  await database.write((session) =>
    session.run(
      `UPDATE oqs_object_table SET unindexed_fields = '{}' WHERE id = ? AND unindexed_fields = ?`,
      [id, unindexed],
    ),
  )
}

/** Runs unless another node holds the lock. Returns whether it ran. */
async function withLock(session: Session, run: () => Promise<void>): Promise<boolean> {
  // Building waits for every transaction that has begun before, however long that takes.
  await session.query('SET lock_timeout = 0')
  const [row] = await session.query('SELECT pg_try_advisory_lock(?)', [BUILDING_LOCK])
  if (row?.[0] !== true) return false
  try {
    await run()
  } finally {
    await session.query('SELECT pg_advisory_unlock(?)', [BUILDING_LOCK])
  }
  return true
}

/** Drops what remains of an index whose building was interrupted. */
async function dropInvalid(session: Session, table: string): Promise<void> {
  const invalid = await session.query(
    `SELECT indexrelid::regclass::text FROM pg_index
     WHERE indrelid = to_regclass(?) AND NOT indisvalid`,
    [table],
  )
  for (const [name] of invalid) await session.query(`DROP INDEX CONCURRENTLY ${name}`)
}
