/** Creates the table of an object type when it is first read. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { lockType } from '../citus/lock-type.ts'
import { type PostgresContext, writeInTurn } from '../citus/pending-commit.ts'
import type { Session } from '../driver/database.ts'
import type { ReadPool } from '../driver/read-pool.ts'
import { isMissingTable } from '../driver/store-failure.ts'
import { createObjectTable } from './object-table.ts'

/**
 * Runs in one read transaction, and retries once if a table is missing. Either the table was never
 * written to and is created now, or it was dropped since the transaction began, and the next
 * transaction sees the one that replaced it.
 */
export async function readObjects<T>(
  store: PostgresContext,
  objectType: ObjectType | readonly ObjectType[],
  run: (session: Session) => Promise<T>,
  pool: Pick<ReadPool, 'read'>,
): Promise<T> {
  try {
    return await pool.read(run)
  } catch (error) {
    if (!isMissingTable(error)) throw error
    for (const type of [objectType].flat()) await createTables(store, type)
    return pool.read(run)
  }
}

function createTables(store: PostgresContext, { rid }: ObjectType): Promise<void> {
  return writeInTurn(store, { key: rid }, async (session) => {
    const type = await lockType(session, store.capabilities, rid, 'commit')
    if (type === undefined) return
    const rows = await session.query(
      `SELECT id FROM oqs_object_table
       WHERE object_type_id = ? AND state = 'published' AND NOT is_created`,
      [type.id],
    )
    for (const [id] of rows) {
      const table = { typeId: type.id, id: Number(id), isLoading: false }
      await createObjectTable(session, store.capabilities, table)
    }
  })
}
