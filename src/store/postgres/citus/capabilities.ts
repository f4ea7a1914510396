/** Everything that differs between PostgreSQL and Citus. */
import type { Database, Session } from '../driver/database.ts'

export interface Capabilities {
  readonly name: string
  /** True if object tables are distributed over several machines by key. */
  readonly isDistributed: boolean
  /**
   * True if a version is published in a separate transaction, after its rows were counted. A commit
   * that spans machines becomes visible on one machine after the other.
   */
  readonly needsSeparatePublication: boolean
  /** True if readers may select current rows; otherwise they read as of the published version. */
  readonly canReadCurrentRows: boolean
}

export const CAPABILITIES = {
  postgres: {
    name: 'PostgreSQL',
    isDistributed: false,
    needsSeparatePublication: false,
    canReadCurrentRows: true,
  },
  citus: {
    name: 'Citus',
    isDistributed: true,
    needsSeparatePublication: true,
    canReadCurrentRows: false,
  },
} as const satisfies Record<string, Capabilities>

export async function readCapabilities(session: Session): Promise<Capabilities> {
  const rows = await session.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)
  return rows.length > 0 ? CAPABILITIES.citus : CAPABILITIES.postgres
}

/**
 * Lets a transaction write rows and build indexes in any order. By default Citus opens a connection
 * per shard for rows, and none of them sees what another one has not committed.
 */
export const ONE_CONNECTION_PER_MACHINE = `SET LOCAL citus.multi_shard_modify_mode = 'sequential'`

/**
 * Creates the functions that conditions call on all workers. Citus does this automatically, except
 * for functions that existed before the extension was installed.
 */
export async function distributeFunctions(session: Session): Promise<void> {
  for (const name of FUNCTIONS) await distributeFunction(session, name)
}

const FUNCTIONS = [
  'oqs_has_interval(text, jsonb, integer[])',
  'oqs_texts(tsvector, text)',
  'oqs_relates(jsonb, text, double precision[], integer[])',
  `oqs_is_near(jsonb, ${Array(4).fill('double precision').join(', ')})`,
]

async function distributeFunction(session: Session, name: string): Promise<void> {
  const local = await session.query(
    `SELECT 1 FROM to_regprocedure(?) AS function WHERE function IS NOT NULL AND function NOT IN
       (SELECT objid FROM pg_dist_object WHERE classid = 'pg_proc'::regclass)`,
    [name],
  )
  if (local.length === 0) return
  await session.query('SELECT create_distributed_function(?::regprocedure)', [name])
}

/**
 * Completes commits on workers that were lost in the middle of them. Citus does this automatically
 * once a minute; a role without the permission has to wait for that.
 */
export async function recoverPreparedTransactions(database: Database): Promise<void> {
  await database
    .write((session) => session.query('SELECT recover_prepared_transactions()'))
    .catch(() => {})
}

const MIN_POSTGRES_VERSION = 15

/** Throws if the release or the encoding of the database is not supported. */
export async function refuseUnsupported(database: Database): Promise<void> {
  const [row] = await database.query(
    `SELECT current_setting('server_version_num')::integer / 10000,
       current_setting('server_encoding')`,
  )
  const [release, encoding] = row ?? []
  if (Number(release) < MIN_POSTGRES_VERSION) {
    throw new Error(
      `the database is PostgreSQL ${release}: ${MIN_POSTGRES_VERSION} or newer is required`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new Error(`the database has the encoding ${encoding}: create one with the encoding UTF8`)
  }
}
