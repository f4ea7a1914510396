import pg from 'pg'
import { passBytes } from './byte-rows.ts'
import { IDLE_TRANSACTION_TIMEOUT_MS, SILENCE_MS } from './session.ts'

/** Connections to PostgreSQL, each made the same, whatever a server has as its defaults. */

/** For a free connection, and for the first answer of a new one. */
export const CONNECT_TIMEOUT_MS = 5000
const LOCK_TIMEOUT_MS = 10_000
/** Connections are renewed after a while, and their prepared statements with them. */
const CONNECTION_LIFETIME_SECONDS = 1800

/** What holds on every connection, whatever a server or a database has as its default. */
const settingsSql = (statementTimeoutMs: number) => `
  SET statement_timeout = ${statementTimeoutMs};
  SET lock_timeout = ${LOCK_TIMEOUT_MS};
  -- A standby then refuses the first write, in words that tell so.
  SET default_transaction_read_only = off;
  SET idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIMEOUT_MS};
  -- Statements are bounded one by one; releases before 17 know nothing else.
  SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout';
  SET extra_float_digits = 1;
  SET array_nulls = on;
  SET bytea_output = hex;
  SET standard_conforming_strings = on;
  SET plan_cache_mode = auto;
  -- Acknowledged means on disk; what promises more than that is left as it is.
  SELECT set_config('synchronous_commit', CASE setting WHEN 'off' THEN 'on' ELSE setting END, false)
    FROM pg_settings WHERE name = 'synchronous_commit';
  -- Compiling a statement takes longer than most of ours run.
  SET jit = off`

export interface PoolOptions {
  readonly max: number
  readonly statementTimeoutMs: number
}

export function makePool(url: string, { max, statementTimeoutMs }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    Client: PooledClient,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
    allowExitOnIdle: true,
    keepAlive: true,
    application_name: 'object-query-service',
    onConnect: async (client) => {
      // A setting of the driver which its types leave out.
      await client.query({
        text: settingsSql(statementTimeoutMs),
        ...{ query_timeout: CONNECT_TIMEOUT_MS },
      })
    },
    query_timeout: statementTimeoutMs + SILENCE_MS,
    types: { getTypeParser },
  })
  // A connection that breaks while nobody uses it: the pool has let go of it already.
  pool.on('error', () => {})
  return pool
}

/**
 * Lets go of a connection that failed. The driver leaves it open where the driver itself gives up,
 * as without a password, and the process would stay for as long as the server waits for more.
 */
class PooledClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    passBytes(this.connection)
    this.connection.on('error', () => this.connection.stream.destroy())
  }
}

const BIGINT = 20

/** A bigint is a number where that is exact. */
function getTypeParser(type: number, format?: 'text' | 'binary') {
  if (type === BIGINT && format !== 'binary') return parseBigint
  return pg.types.getTypeParser(type, format)
}

function parseBigint(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}
