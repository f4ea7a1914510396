/**
 * Reads on the connections of one pool. Pages and authentication have one lane, slow queries
 * another one, so that neither can use up the connections of the other.
 */
import type { Pool, PoolClient } from 'pg'
import type { ByteRow } from './byte-rows.ts'
import { cancelStatement } from './cancel-statement.ts'
import { ClientSession, type QueryOptions, type Row, type Session } from './session.ts'
import { isLostConnection, toStoreFailure } from './store-failure.ts'

export class ReaderLane {
  readonly #pool: Pool
  readonly #signal: AbortSignal | undefined

  /** When the signal is aborted, running statements are cancelled and fail with its reason. */
  constructor(pool: Pool, signal?: AbortSignal) {
    this.#pool = pool
    this.#signal = signal
  }

  /** One statement that changes nothing, outside a transaction. It is repeated once where the connection was lost. */
  one(sql: string, values?: readonly unknown[], options?: QueryOptions): Promise<readonly Row[]> {
    return this.#readTwice((session) => session.query(sql, values, options))
  }

  /** The same, for rows whose values are many bytes. */
  oneInBytes(
    sql: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<readonly ByteRow[]> {
    return this.#readTwice((session) => session.queryBytes(sql, values, options))
  }

  /** Runs in a transaction that sees one moment and changes nothing. */
  read<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.#readTwice(async (session, client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const result = await run(session)
      await client.query('COMMIT')
      return result
    })
  }

  async #readTwice<T>(read: (session: Session, client: PoolClient) => Promise<T>): Promise<T> {
    const readOnce = () =>
      withClient(this.#pool, (client) => read(new ClientSession(client), client), this.#signal)
    try {
      return await readOnce()
    } catch (error) {
      if (this.#signal?.aborted || !isLostConnection(error)) throw error
      return readOnce()
    }
  }
}

/** Lends a connection. One that failed is ended: with it ends whatever was left undone on it. */
export async function withClient<T>(
  pool: Pool,
  run: (client: PoolClient) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const client = await connect(pool)
  // Without a listener, a connection that breaks between two statements ends the process.
  const ignore = () => {}
  client.on('error', ignore)
  const onAbort = () => void cancelStatement(client)
  signal?.addEventListener('abort', onAbort)
  let isBroken = false
  try {
    // It may have been aborted while the connection was opened.
    signal?.throwIfAborted()
    return await run(client)
  } catch (error) {
    isBroken = !(await rolledBack(client, error))
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', onAbort)
    client.off('error', ignore)
    // A cancellation may still be on its way, and must not hit the next statement.
    client.release(isBroken || signal?.aborted === true)
  }
}

/** A database that refuses connections is not asked twice: the failure is one for the client. */
async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toStoreFailure(error)
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
