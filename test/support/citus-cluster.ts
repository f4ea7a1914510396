/** A private Citus cluster. PostgreSQL must have the extension, see `OQS_TEST_POSTGRES_BIN`. */
import { runSql } from './postgres.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

export interface CitusCluster {
  /** The URL of the database of the coordinator. */
  readonly url: string
  readonly workers: readonly PostgresServer[]
  /** Adds one of the workers, moves shards to it, and returns how many it then has. */
  readonly addWorker: (worker: PostgresServer) => Promise<number>
}

const DATABASE = 'oqs_test'
const PASSWORD = 'of-the-test'
const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_prepared_transactions: '200',
  'citus.node_conninfo': 'sslmode=disable',
}

/** Starts a coordinator and workers, some of which are not added yet; the caller disposes of them. */
export async function startCitusCluster(
  added: number,
  spare: number,
  use: (server: PostgresServer) => PostgresServer,
): Promise<CitusCluster> {
  const start = async () => {
    const server = use(await startPostgresServer({ isDurable: true, settings: SETTINGS }))
    await runSql(server.url, [
      `CREATE DATABASE ${DATABASE}`,
      `ALTER ROLE postgres PASSWORD '${PASSWORD}'`,
    ])
    await runSql(databaseOf(server), [
      'CREATE EXTENSION citus',
      `INSERT INTO pg_dist_authinfo VALUES (0, 'postgres', 'password=${PASSWORD}')`,
    ])
    return server
  }
  const [coordinator, ...workers] = await Promise.all(
    Array.from({ length: 1 + added + spare }, start),
  )
  if (coordinator === undefined) throw new Error('no coordinator')
  const url = databaseOf(coordinator)
  const portOf = (server: PostgresServer) => new URL(server.url).port
  const add = (server: PostgresServer) =>
    runSql(url, `SELECT citus_add_node('127.0.0.1', ${portOf(server)})`)
  await runSql(url, `SELECT citus_set_coordinator_host('127.0.0.1', ${portOf(coordinator)})`)
  for (const worker of workers.slice(0, added)) await add(worker)
  const addWorker = async (worker: PostgresServer) => {
    await add(worker)
    const rows = await runSql(url, [
      'SELECT rebalance_table_shards()',
      `SELECT 1 FROM citus_shards WHERE nodeport = ${portOf(worker)}`,
    ])
    return rows.length
  }
  return { url, workers, addWorker }
}

function databaseOf(server: PostgresServer): string {
  const url = new URL(server.url)
  url.pathname = `/${DATABASE}`
  url.password = PASSWORD
  return url.href
}
