/** Creates the table of an object type when it is first read or written to. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import {
  buildIndexes,
  createTable,
  type TableOfType,
  type TableSession,
} from '../../core/catalogue/build-table.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { lockType, type WriteTable } from '../../core/commits/locked-type.ts'
import { integer, type Operation } from '../../core/session/session.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import { distributeLarge } from '../citus/distribution.ts'
import { type PostgresContext, writeInTurn } from '../citus/pending-commit.ts'
import type { Session, WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'
import type { ReadPool } from '../driver/read-pool.ts'
import { BATCH_TIMEOUT_MS } from '../driver/session.ts'
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
  return writeInTurn(store, { key: rid }, (session) =>
    buildIn(session, store.capabilities, function* (on) {
      const type = yield* lockType(on.session, rid, 'commit')
      if (type === undefined) return
      const tables = yield* on.session.query(
        `SELECT object_type_id, id FROM oqs_object_table
         WHERE object_type_id = ? AND state = 'published' AND NOT is_created`,
        [type.id],
        { typeId: integer, id: integer },
      )
      for (const table of tables) {
        yield* createTable(on, table)
        yield* buildIndexes(on, table)
      }
    }),
  )
}

interface WrittenTable extends TableOfType, Pick<WriteTable, 'isCreated'> {
  /** Whether its indexes are built later. */
  readonly isLoading?: boolean
  /** Whether its statements take no longer than others, once it is created. */
  readonly isQuick?: boolean
}

/** Writes rows. Creates the table before its first ones, and builds its indexes after them. */
export async function writeToTable<Result>(
  session: WriteSession,
  capabilities: Capabilities,
  table: WrittenTable,
  newRows: number,
  write: () => Promise<Result>,
): Promise<Result> {
  const isFirst = newRows > 0 && !table.isCreated
  const isIndexed = isFirst && table.isLoading !== true
  const canDistribute = capabilities.isDistributed && (isFirst || table.isLoading === true)
  const buildAll = () => buildIn(session, capabilities, (on) => buildIndexes(on, table))
  if (isFirst) await buildIn(session, capabilities, (on) => createTable(on, table))
  if (canDistribute) {
    await runIn(session, (core) => distributeLarge(core, objectTable(table.id), newRows))
  }
  // Citus allows no index in a transaction that has written to several machines.
  if (isIndexed && capabilities.isDistributed) await buildAll()
  // Not before the locks are held: waiting for a lock keeps the short timeout.
  if (isFirst || table.isQuick !== true) await session.extendTimeout(BATCH_TIMEOUT_MS)
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
