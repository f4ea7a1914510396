import type { Database, Session } from '../driver/database.ts'

/** What a PostgreSQL can do, and so what this store leaves to it. All that differs stands here. */
export interface Capabilities {
  readonly name: string
  /** Whether object tables are spread over several machines, by key. */
  readonly distributes: boolean
  /**
   * Whether a version is published in a transaction of its own, after its rows were counted: where
   * a commit spans machines, its rows appear on one after the other.
   */
  readonly publishesApart: boolean
  /** Whether what is current may be read as such; else it is read as of the published version. */
  readonly readsCurrentRows: boolean
}

export const CAPABILITIES = {
  postgres: {
    name: 'PostgreSQL',
    distributes: false,
    publishesApart: false,
    readsCurrentRows: true,
  },
  citus: {
    name: 'Citus',
    distributes: true,
    publishesApart: true,
    readsCurrentRows: false,
  },
} as const satisfies Record<string, Capabilities>

export async function readCapabilities(session: Session): Promise<Capabilities> {
  const rows = await session.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)
  return rows.length > 0 ? CAPABILITIES.citus : CAPABILITIES.postgres
}

/** Every page asks each shard: two on each machine keep all busy, and more only cost. */
const SHARDS_PER_WORKER = 2

/** Spreads a new, empty table; tables that are spread alike lie together. */
export async function distributeTable(session: Session, table: string): Promise<void> {
  const [row] = await session.query('SELECT count(*) FROM citus_get_active_worker_nodes()')
  const shards = Math.max(Number(row?.[0]), 1) * SHARDS_PER_WORKER
  await session.query(
    `SELECT create_distributed_table(?::regclass, 'pk', shard_count => ?::integer)`,
    [table, shards],
  )
}

/**
 * Gives workers the functions that conditions call. Citus does so by itself for those that are made
 * when it is there already, not for those of a database that was a plain PostgreSQL before.
 */
export async function distributeFunctions(session: Session): Promise<void> {
  const name = 'oqs_within_any(double precision[], double precision[])'
  const shared = await session.query(
    `SELECT 1 FROM pg_dist_object
     WHERE classid = 'pg_proc'::regclass AND objid = ?::regprocedure`,
    [name],
  )
  if (shared.length > 0) return
  await session.query('SELECT create_distributed_function(?::regprocedure)', [name])
}

/**
 * Lets workers that were lost during a commit finish it now. Citus does so by itself, but only once
 * a minute; a role that may not ask for it waits for that.
 */
export async function recoverPreparedTransactions(database: Database): Promise<void> {
  await database
    .write((session) => session.query('SELECT recover_prepared_transactions()'))
    .catch(() => {})
}
