/** Pools of connections to PostgreSQL that do not depend on the defaults of the server. */
import pg from 'pg'
import { passBinaryRows } from './byte-rows.ts'
import { IDLE_TRANSACTION_TIMEOUT_MS, PreparedStatements, SILENCE_MS } from './session.ts'

/** How long to wait for a free connection, and for the first reply of a new one. */
export const CONNECT_TIMEOUT_MS = 5000
const LOCK_TIMEOUT_MS = 10_000
/** Connections are recreated after this long, and their prepared statements with them. */
const CONNECTION_LIFETIME_SECONDS = 1800

const APPLICATION_NAME = 'object-query-service'

/** Overrides the defaults of the server and the database that the store depends on. */
const settingsSql = ({
  statementTimeoutMs,
  isQuick = false,
  isOfShards,
  storesNothing = false,
}: PoolOptions) => `
  SET statement_timeout = ${statementTimeoutMs};
  SET lock_timeout = ${LOCK_TIMEOUT_MS};
  -- A standby then refuses the first write with a clear error.
  SET default_transaction_read_only = off;
  SET idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIMEOUT_MS};
  -- Timeouts apply to statements; PostgreSQL before 17 has no transaction timeout.
  SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout';
  SET extra_float_digits = 1;
  SET array_nulls = on;
  SET bytea_output = hex;
  SET standard_conforming_strings = on;
  SET plan_cache_mode = ${isOfShards ? 'force_generic_plan' : 'auto'};
  -- An acknowledged commit is on disk. Stricter settings stay as they are.
  SELECT set_config(name, CASE WHEN ${storesNothing} THEN 'off' WHEN setting = 'off' THEN 'on'
    ELSE setting END, false) FROM pg_settings WHERE name = 'synchronous_commit';
  -- Compiling a statement takes longer than most of ours take to run.
  SET jit = off;
  -- On Citus, a page reads the shards of a machine one after the other: opening connections for a
  -- statement and closing them takes longer.
  SELECT set_config(name, '1', false) FROM pg_settings
    WHERE ${isQuick} AND name = 'citus.max_adaptive_executor_pool_size'`

interface PoolOptions {
  readonly max: number
  readonly statementTimeoutMs: number
  /** Whether the statements of the pool are short. */
  readonly isQuick?: boolean
  /** Whether no transaction stores anything, so that none waits for the disk. */
  readonly storesNothing?: boolean
  /** Whether all statements have one best plan, whatever their values. */
  readonly isOfShards?: boolean
}

export function makePool(url: string, options: PoolOptions): pg.Pool {
  const { max, statementTimeoutMs } = options
  const pool = new pg.Pool({
    connectionString: url,
    Client: PooledClient,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
    allowExitOnIdle: true,
    keepAlive: true,
    application_name: APPLICATION_NAME,
    onConnect: async (client) => {
      // `query_timeout` is missing in the types of the driver.
      await client.query({
        text: settingsSql(options),
        ...{ query_timeout: CONNECT_TIMEOUT_MS },
      })
    },
    query_timeout: statementTimeoutMs + SILENCE_MS,
    types: { getTypeParser },
  })
  // An idle connection broke. The pool has removed it already.
  pool.on('error', () => {})
  return pool
}

/**
 * Closes a connection that failed. The driver leaves the socket open when it fails by itself, for
 * example without a password, and the process would not exit before the server closes it.
 */
class PooledClient extends pg.Client {
  /** The statements that were prepared on this connection. */
  readonly prepared = new PreparedStatements()

  constructor(config?: pg.ClientConfig) {
    super(config)
    passBinaryRows(this.connection)
    this.connection.on('error', () => this.connection.stream.destroy())
  }
}

const BIGINT = 20

/** Parses a bigint as a number if that is exact. */
function getTypeParser(type: number, format?: 'text' | 'binary') {
  if (type === BIGINT && format !== 'binary') return parseBigint
  return pg.types.getTypeParser(type, format)
}

function parseBigint(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}
