/**
 * Builds the index of texts of a large replacement on a connection of its own, while the others are
 * built: it takes about as long as all of them together, and PostgreSQL before 18 builds it in one
 * process.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { replacementTableId } from '../../batch-rules.ts'
import { listMissingIndexes } from '../../core/catalogue/build-table.ts'
import { touchReplacement } from '../../core/tables/replacements.ts'
import { objectTablesOf } from '../catalogue/object-table.ts'
import { TEXT_INDEX } from '../catalogue/table-indexes.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { Database, WriteSession } from '../driver/database.ts'
import { readIn, runIn } from '../driver/postgres-session.ts'

/** The index of fewer objects is built in less time than it takes to begin. */
const MANY_OBJECTS = 20_000
/** Together with the number of a table, the lock of its builder: arbitrary, and used by nothing else. */
const BUILDING_LOCK = 706_733
/** Shorter than the time after which maintenance takes a replacement for idle. */
const TOUCH_MS = 60_000

/** Builds the other indexes meanwhile. Does nothing if there is no such index or no connection for it. */
export async function buildBeside(
  { database, capabilities }: PostgresContext,
  replacement: string,
  buildOthers: (builtBeside: readonly string[]) => Promise<void>,
): Promise<void> {
  if (capabilities.isDistributed) return
  const id = replacementTableId(replacement)
  const [table] = await database.query(
    `SELECT object_type_id FROM oqs_object_table
     WHERE id = ? AND state = 'loading' AND is_created AND live_count >= ${MANY_OBJECTS}`,
    [id],
  )
  if (table === undefined) return
  const tables = objectTablesOf(capabilities)
  const missing = await readIn(database, (session) =>
    listMissingIndexes({ session, tables }, { typeId: Number(table[0]), id }),
  )
  const index = missing.find(({ name }) => name.endsWith(TEXT_INDEX))
  if (index === undefined) return
  const building = database.runUnlimitedAlone((session) => buildOnce(session, id, index.sql))
  if (building === undefined) return
  const isDone = new AbortController()
  const built = building.finally(() => isDone.abort())
  try {
    await Promise.all([
      built,
      buildOthers([index.name]).then(() => keepInUse(database, replacement, isDone.signal)),
    ])
  } finally {
    // After a failure of the others, their caller must not begin again before this one has ended.
    await Promise.allSettled([built])
  }
}

/** Builds an index, unless a request that was sent to another node builds it. */
async function buildOnce(session: WriteSession, id: number, sql: string): Promise<void> {
  await session.query('SET lock_timeout = 0')
  await session.query('BEGIN')
  await session.query('SELECT pg_advisory_xact_lock(?, ?)', [BUILDING_LOCK, id])
  await session.query(sql.replace('CREATE INDEX', 'CREATE INDEX IF NOT EXISTS'))
  await session.query('COMMIT')
}

/** Keeps a replacement from expiring until the index is built. */
async function keepInUse(
  database: Database,
  replacement: string,
  isDone: AbortSignal,
): Promise<void> {
  for (;;) {
    await sleep(TOUCH_MS, undefined, { signal: isDone }).catch(() => {})
    if (isDone.aborted) return
    await database.write((session) =>
      runIn(session, (core) => touchReplacement.run(core, replacement)),
    )
  }
}
