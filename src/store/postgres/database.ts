import { once } from 'node:events'
import pg, { type PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { mayPrepare, numbered } from './numbered-sql.ts'
import { Slots } from './slots.ts'
import { isConflict, isLostConnection, toStoreFailure, UnknownOutcome } from './store-failure.ts'

/** How this store talks to PostgreSQL: pooled connections, transactions, bounded waiting. */

const CONNECTIONS = 10
/** Connections that may write at once; the others stay free for readers. */
const WRITERS = 5
const CONNECT_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 30_000
const LOCK_TIMEOUT_MS = 10_000
/** Longer than the database itself waits: only a database that is gone says nothing for so long. */
const SILENCE_TIMEOUT_MS = 45_000
const NO_TIMEOUT_MS = 24 * 3_600_000
/** Connections are renewed after a while, and their prepared statements with them. */
const CONNECTION_LIFETIME_SECONDS = 1800
const WRITE_ATTEMPTS = 5

/** What holds on every connection, whatever a server or a database has as its default. */
const SETTINGS_SQL = `
  SET statement_timeout = ${STATEMENT_TIMEOUT_MS};
  SET lock_timeout = ${LOCK_TIMEOUT_MS};
  -- A standby then refuses the first write, in words that tell so.
  SET default_transaction_read_only = off;
  SET idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS};
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

/** A row: its columns, in the order of the statement. */
export type Row = readonly unknown[]

export interface QueryOptions {
  /** Whether the statement is worth preparing: its text comes again and again. */
  readonly name?: boolean
}

/** One transaction, or one connection. Values are bound where the text has a question mark. */
export interface Session {
  query(sql: string, values?: readonly unknown[], options?: QueryOptions): Promise<readonly Row[]>
}

export interface WriteSession extends Session {
  /** Gives the number of rows that the statement changed. */
  run(sql: string, values?: readonly unknown[]): Promise<number>
  /** Feeds lines to a `COPY … FROM STDIN`; gives the number of rows. */
  copyIn(sql: string, chunks: Iterable<string>): Promise<number>
  /** Lets the statements of this transaction take as long as they need. */
  takeTime(): Promise<void>
}

export class Database implements AsyncDisposable {
  readonly #pool: pg.Pool
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #writers = new Slots(WRITERS)

  constructor(url: string) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 60_000,
      maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
      allowExitOnIdle: true,
      keepAlive: true,
      application_name: 'object-query-service',
      onConnect: (client) => client.query(SETTINGS_SQL),
      query_timeout: SILENCE_TIMEOUT_MS,
      types: { getTypeParser },
    })
    // A connection that breaks while nobody uses it: the pool has let go of it already.
    this.#pool.on('error', () => {})
  }

  /** One statement that changes nothing, outside a transaction. It is repeated once where the connection was lost. */
  one(sql: string, values?: readonly unknown[], options?: QueryOptions): Promise<readonly Row[]> {
    return this.#track(() =>
      this.#repeatRead(() =>
        this.#withClient((client) => new ClientSession(client).query(sql, values, options)),
      ),
    )
  }

  /** Runs in a transaction that sees one moment and changes nothing. */
  read<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.#track(() => this.#repeatRead(() => this.#readOnce(run)))
  }

  /**
   * Runs in a transaction of its own. What was surely not committed is tried again where that can
   * help, so `run` must do the same each time.
   */
  write<T>(run: (session: WriteSession) => Promise<T>): Promise<T> {
    return this.#track(() =>
      this.#writers.use(async () => {
        for (let attempt = 1; ; attempt += 1) {
          try {
            return await this.#writeOnce(run)
          } catch (error) {
            const helps = isConflict(error) || (isLostConnection(error) && attempt === 1)
            if (!helps || attempt === WRITE_ATTEMPTS) throw error
          }
        }
      }),
    )
  }

  /** Waits for whatever is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
    if (!this.#pool.ended) await this.#pool.end()
  }

  async #track<T>(work: () => Promise<T>): Promise<T> {
    const working = work()
    this.#underWay.add(working)
    try {
      return await working
    } catch (error) {
      throw toStoreFailure(error)
    } finally {
      this.#underWay.delete(working)
    }
  }

  async #repeatRead<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (!isLostConnection(error)) throw error
      return read()
    }
  }

  async #readOnce<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.#withClient(async (client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const result = await run(new ClientSession(client))
      await client.query('COMMIT')
      return result
    })
  }

  async #writeOnce<T>(run: (session: WriteSession) => Promise<T>): Promise<T> {
    let isCommitting = false
    try {
      return await this.#withClient(async (client) => {
        await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
        const result = await run(new ClientSession(client))
        isCommitting = true
        const { command } = await client.query('COMMIT')
        if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
        return result
      })
    } catch (error) {
      throw isCommitting && isLostConnection(error) ? new UnknownOutcome(error) : error
    }
  }

  /** A database that lets nobody in is not asked twice: the failure is one for the client. */
  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw toStoreFailure(error)
    }
  }

  /** Lends a connection. One that failed is ended: with it ends whatever was left undone on it. */
  async #withClient<T>(run: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    // Without a listener, a connection that breaks between two statements ends the process.
    const ignore = () => {}
    client.on('error', ignore)
    let broken = false
    try {
      return await run(client)
    } catch (error) {
      broken = !(await rolledBack(client, error))
      throw error
    } finally {
      client.off('error', ignore)
      client.release(broken)
    }
  }
}

/** Whether the connection can be used again after a failure. */
async function rolledBack(client: PoolClient, error: unknown): Promise<boolean> {
  if (isLostConnection(error)) return false
  try {
    await client.query('ROLLBACK')
    return true
  } catch {
    return false
  }
}

class ClientSession implements WriteSession {
  readonly #client: PoolClient
  #timeoutMs = SILENCE_TIMEOUT_MS

  constructor(client: PoolClient) {
    this.#client = client
  }

  async query(
    sql: string,
    values: readonly unknown[] = [],
    options: QueryOptions = {},
  ): Promise<readonly Row[]> {
    return (await this.#send(sql, values, options)).rows
  }

  async run(sql: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.#send(sql, values, {})).rowCount ?? 0
  }

  async copyIn(sql: string, chunks: Iterable<string>): Promise<number> {
    // The driver looks there for how long it may take.
    const query = Object.assign(copyFrom(sql), { query_timeout: this.#timeoutMs })
    const stream = this.#client.query(query)
    // A connection that is given up tells its stream a second time, when nobody waits any more.
    stream.on('error', () => {})
    const ended = once(stream, 'finish')
    // Awaited below; it may fail before that.
    ended.catch(() => {})
    for (const chunk of chunks) {
      if (stream.destroyed) break
      if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), ended])
    }
    stream.end()
    await ended
    return stream.rowCount
  }

  async takeTime(): Promise<void> {
    this.#timeoutMs = NO_TIMEOUT_MS
    await this.query('SET LOCAL statement_timeout = 0')
  }

  #send(sql: string, values: readonly unknown[], { name = false }: QueryOptions) {
    const { text, hash } = numbered(sql)
    return this.#client.query<unknown[]>({
      text,
      values: [...values],
      rowMode: 'array',
      ...(name && mayPrepare(this.#client, hash) ? { name: hash } : {}),
      // A setting of the driver which its types leave out.
      ...{ query_timeout: this.#timeoutMs },
    })
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
