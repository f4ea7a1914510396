/** Test databases on a PostgreSQL server, which is given by the URL of any database on it. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

export interface TestDatabase extends AsyncDisposable {
  readonly name: string
  readonly url: string
  /** Drops the database even while it is in use. */
  drop(): Promise<void>
}

/** Creates a copy of a database, an empty one by default; disposing drops it. */
export async function createDatabase(
  serverUrl: string,
  template = 'template0',
): Promise<TestDatabase> {
  const name = `oqs_test_${process.pid}_${randomBytes(6).toString('hex')}`
  // FILE_COPY is the fastest strategy on a server without fsync.
  await runSql(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const drop = async () => {
    await runSql(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
  return { name, url: url.href, drop, [Symbol.asyncDispose]: drop }
}

/**
 * Creates an empty schema in the database of a Citus coordinator, because the workers have no other
 * database; disposing drops it. The name of the database must contain "test". Options of the URL apply.
 */
export async function createCitusSchema(databaseUrl: string): Promise<TestDatabase> {
  const database = new URL(databaseUrl).pathname.slice(1)
  if (!database.includes('test')) {
    throw new Error(
      `OQS_TEST_CITUS names the database ${database}, but the name must contain "test"`,
    )
  }
  const name = `oqs_test_${process.pid}_${randomBytes(6).toString('hex')}`
  await runSql(databaseUrl, `CREATE SCHEMA ${name}`)
  const url = new URL(databaseUrl)
  const options = url.searchParams.get('options') ?? ''
  url.searchParams.set('options', `${options} -c search_path=${name}`)
  const drop = async () => {
    await runSql(databaseUrl, `DROP SCHEMA IF EXISTS ${name} CASCADE`)
    // Settings that a test has made for the database would affect later tests.
    await runSql(databaseUrl, `ALTER DATABASE "${database}" RESET ALL`)
  }
  return { name, url: url.href, drop, [Symbol.asyncDispose]: drop }
}

/** Runs statements on a new connection; returns the rows of the last one. */
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

/** Runs a statement in a transaction that stays open until it is disposed. */
export async function openTransaction(
  url: string,
  sql: string,
  end: string = 'COMMIT',
): Promise<AsyncDisposable> {
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
      await client.query(end)
      await client.end()
    },
  }
}

/** Waits until another connection to the database is blocked by a lock. */
export async function untilBlocked(url: string, count = 1): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  while ((await runSql(url, waiting)).length < count) await sleep(10)
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  // If the server stops, the statement fails; the error event must be handled, too.
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}
