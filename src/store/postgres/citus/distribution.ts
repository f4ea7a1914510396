/**
 * Which object tables are distributed. A small one stays on the coordinator: each shard is a table
 * with indexes of its own, and each page of a distributed table asks every machine. It is distributed
 * before the rows that make it large are written, or in the background if it can be read already.
 */
import { lockType } from '../../core/commits/locked-type.ts'
import { type CoreSession, integer, type Operation } from '../../core/session/session.ts'
import { runIn } from '../driver/postgres-session.ts'
import { type PostgresContext, writeInTurn } from './pending-commit.ts'

/** The number of objects from which a type is distributed, unless a setting of the database says. */
const DISTRIBUTED_FROM = `coalesce(
  nullif(current_setting('oqs.distribute_from', true), '')::bigint, 10000)`

const IS_LOCAL = `to_regclass('oqs_object_' || o.id)
  NOT IN (SELECT logicalrelid FROM pg_dist_partition)`

/** Every page queries every shard: two per machine keep all machines busy, more only add cost. */
const SHARDS_PER_WORKER = 2

/** Distributes a table by key if it, or the published table of its type, is large with the new rows. */
export function* distributeLarge(
  session: CoreSession,
  table: string,
  newRows = 0,
): Operation<boolean> {
  const found = yield* session.find(
    `SELECT (SELECT count(*) FROM citus_get_active_worker_nodes())
     FROM oqs_object_table AS o JOIN oqs_object_type AS t ON t.id = o.object_type_id
     JOIN oqs_object_table AS published ON published.id = t.table_id
     WHERE 'oqs_object_' || o.id = ? AND ${IS_LOCAL}
       AND greatest(o.live_count + ?::bigint, published.live_count) >= ${DISTRIBUTED_FROM}`,
    [table, newRows],
    { workers: integer },
  )
  if (found === undefined) return false
  yield* session.run(
    `SELECT create_distributed_table(?::regclass, 'pk', shard_count => ?::integer)`,
    [table, Math.max(found.workers, 1) * SHARDS_PER_WORKER],
  )
  return true
}

/**
 * Distributes a published table that has become large. Writers of the type wait for the transaction,
 * readers do not. `create_distributed_table_concurrently` would not let writers wait, but hangs if
 * one of them waits for a lock of the table.
 */
export async function distributeGrown(store: PostgresContext): Promise<void> {
  if (!store.capabilities.isDistributed) return
  const [row] = await store.database.query(
    `SELECT t.rid, 'oqs_object_' || o.id
     FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
     WHERE o.is_created AND o.live_count >= ${DISTRIBUTED_FROM} AND ${IS_LOCAL} LIMIT 1`,
  )
  if (row === undefined) return
  const [rid, table] = row.map(String) as [string, string]
  await writeInTurn(store, { key: rid }, (session) =>
    runIn(session, function* (core) {
      if ((yield* lockType(core, rid, 'commit')) === undefined) return
      yield* core.extendTimeout()
      if (!(yield* distributeLarge(core, table))) return
      yield* core.run('SELECT truncate_local_data_after_distributing_table(?::regclass)', [table])
      yield* core.execute(`ANALYZE ${table}`)
    }),
  )
}
