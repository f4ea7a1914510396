import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
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
 * An empty schema in the database of a Citus coordinator, dropped when it is disposed: the workers
 * know no other database. Only where its name says that it is there for tests.
 */
export async function createCitusSchema(databaseUrl: string): Promise<TestDatabase> {
  const database = new URL(databaseUrl).pathname.slice(1)
  if (!database.includes('test')) {
    throw new Error(`OQS_TEST_CITUS names the database ${database}: its name must contain "test"`)
  }
  const name = `oqs_test_${process.pid}_${randomBytes(6).toString('hex')}`
  await runSql(databaseUrl, `CREATE SCHEMA ${name}`)
  const url = new URL(databaseUrl)
  url.searchParams.set('options', `-c search_path=${name}`)
  const drop = async () => {
    await runSql(databaseUrl, `DROP SCHEMA IF EXISTS ${name} CASCADE`)
    // What a test has set for its database would hold for all that come after it.
    await runSql(databaseUrl, `ALTER DATABASE "${database}" RESET ALL`)
  }
  return { url: url.href, drop, [Symbol.asyncDispose]: drop }
}

/** Rows of a statement, or of the last of several, on a connection of its own. */
export async function runSql(
  url: string,
  sql: string | readonly string[],
): Promise<Record<string, unknown>[]> {
  return withClient(url, async (client) => {
    let rows: Record<string, unknown>[] = []
    for (const statement of [sql].flat()) rows = (await client.query(statement)).rows ?? []
    return rows
  })
}

/** A transaction that has run a statement and stays open until it is disposed. */
export async function openTransaction(url: string, sql: string): Promise<AsyncDisposable> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(sql)
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  return {
    [Symbol.asyncDispose]: async () => {
      await client.query('COMMIT')
      await client.end()
    },
  }
}

/** Waits until some other connection to the database waits for a lock. */
export async function untilBlocked(url: string): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  while ((await runSql(url, waiting)).length === 0) await sleep(10)
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
