/** Creates the table of an object type when it is first read or written to. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import {
  buildIndexes,
  createTable,
  type TableOfType,
  type TableSession,
} from '../../core/catalogue/build-table.ts'
import { integer, type Operation } from '../../core/session/session.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import { lockType } from '../citus/lock-type.ts'
import { type PostgresContext, writeInTurn } from '../citus/pending-commit.ts'
import type { Session, WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'
import type { ReadPool } from '../driver/read-pool.ts'
import { isMissingTable } from '../driver/store-failure.ts'
import { objectTablesOf } from './object-table.ts'

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
    const { id: typeId } = type
    await buildIn(session, store.capabilities, function* (on) {
      const tables = yield* on.session.query(
        `SELECT id FROM oqs_object_table
         WHERE object_type_id = ? AND state = 'published' AND NOT is_created`,
        [typeId],
        { id: integer },
      )
      for (const { id } of tables) {
        yield* createTable(on, { typeId, id })
        yield* buildIndexes(on, { typeId, id })
      }
    })
  })
}

/** Creates a table, writes its first rows, and then builds its indexes, unless it is loaded. */
export async function writeFirstRows<Result>(
  session: WriteSession,
  capabilities: Capabilities,
  table: TableOfType & { readonly isLoading?: boolean },
  write: () => Promise<Result>,
): Promise<Result> {
  const buildAll = () => buildIn(session, capabilities, (on) => buildIndexes(on, table))
  await buildIn(session, capabilities, (on) => createTable(on, table))
  const isIndexed = table.isLoading !== true
  // Citus allows no index in a transaction that has written to several machines.
  if (isIndexed && capabilities.isDistributed) await buildAll()
  const written = await write()
  if (isIndexed && !capabilities.isDistributed) await buildAll()
  return written
}

function buildIn<Result>(
  session: WriteSession,
  capabilities: Capabilities,
  run: (on: TableSession) => Operation<Result>,
): Promise<Result> {
  const tables = objectTablesOf(capabilities)
  return runIn(session, (core) => run({ session: core, tables }))
}
