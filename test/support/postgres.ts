import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

/** Databases for tests on a PostgreSQL server, which is given by the URL of any database on it. */

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
  /** Takes the database away from whoever uses it. */
  drop(): Promise<void>
}

/** An empty database, dropped when it is disposed. */
export async function createDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `oqs_test_${process.pid}_${randomBytes(6).toString('hex')}`
  // Copying files is the fastest way where commits do not wait for the disk.
  await runSql(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0 STRATEGY FILE_COPY`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const drop = async () => {
    await runSql(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
  return { url: url.href, drop, [Symbol.asyncDispose]: drop }
}

/**
 * The database of a Citus coordinator, emptied: its workers know no other one. Only where its name
 * says that it is there for tests.
 */
export async function emptyCitusDatabase(url: string): Promise<TestDatabase> {
  const name = new URL(url).pathname.slice(1)
  if (!name.includes('test')) {
    throw new Error(`OQS_TEST_CITUS names the database ${name}: its name must contain "test"`)
  }
  const drop = () => emptyDatabase(url)
  await drop()
  return { url, drop, [Symbol.asyncDispose]: drop }
}

async function emptyDatabase(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT format('DROP TABLE IF EXISTS %I CASCADE', tablename) AS sql FROM pg_tables
       WHERE schemaname = current_schema() AND tablename LIKE 'oqs\\_%'
       UNION ALL SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', oid::regprocedure) FROM pg_proc
       WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'oqs\\_%'`,
    )
    for (const { sql } of rows) await client.query(sql)
  })
}

/** Rows of one statement, on a connection of its own. */
export async function runSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  return withClient(url, async (client) => (await client.query(sql)).rows ?? [])
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  // A server that is stopped meanwhile shows in the statement, not as an event nobody handles.
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}
