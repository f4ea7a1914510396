/**
 * Reads on the connections of one pool. Pages and authentication use one, slow queries
 * another, so that neither can use up the connections of the other.
 */

import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { ByteRow } from './byte-rows.ts'
import { CONNECT_TIMEOUT_MS } from './connection-pool.ts'
import {
  type ClientSecrets,
  ClientSession,
  type QueryOptions,
  type Row,
  type Session,
  type SessionClient,
} from './session.ts'
import {
  isCancelled,
  isClosedConnection,
  isLostConnection,
  toStoreFailure,
} from './store-failure.ts'

export class ReadPool {
  readonly #pool: Pool
  readonly #signal: AbortSignal | undefined

  /** When the signal is aborted, running statements are cancelled and fail with its reason. */
  constructor(pool: Pool, signal?: AbortSignal) {
    this.#pool = pool
    this.#signal = signal
  }

  /** Runs one read-only statement outside a transaction; retries it once if the connection was closed. */
  query(sql: string, values?: readonly unknown[], options?: QueryOptions): Promise<readonly Row[]> {
    return this.#readWithRetry((session) => session.query(sql, values, options))
  }

  /** Like `query`, for large values, see `Session.queryBytes`. */
  queryBytes(
    sql: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<readonly ByteRow[]> {
    return this.#readWithRetry((session) => session.queryBytes(sql, values, options))
  }

  /** Runs in a read-only transaction with one snapshot of the database. */
  read<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.#readWithRetry(async (session, client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const result = await run(session)
      await client.query('COMMIT')
      return result
    })
  }

  async #readWithRetry<T>(
    read: (session: Session, client: SessionClient) => Promise<T>,
  ): Promise<T> {
    const readOnce = () =>
      withClient(this.#pool, (client) => read(new ClientSession(client), client), this.#signal)
    try {
      return await readOnce()
    } catch (error) {
      if (this.#signal?.aborted || !isClosedConnection(error)) throw error
      return readOnce()
    }
  }
}

/** Runs with a connection of the pool. A connection that failed is closed, which ends its work. */
export async function withClient<T>(
  pool: Pool,
  run: (client: SessionClient) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const client = await connect(pool)
  // Without a listener, a connection that breaks between two statements would end the process.
  const ignore = () => {}
  client.on('error', ignore)
  let isDone = false
  const onAbort = () => void stopStatements(client, () => isDone)
  signal?.addEventListener('abort', onAbort)
  let isBroken = false
  try {
    // The signal may have been aborted while the connection was opened.
    signal?.throwIfAborted()
    const result = await run(client)
    // The work is done, but a cancellation may still arrive on this connection.
    isBroken = signal?.aborted === true
    return result
  } catch (error) {
    // A cancellation that has not ended this statement may still arrive, and must not end the next.
    const isCancelLost = signal?.aborted === true && !isCancelled(error)
    isBroken = isCancelLost || !(await rollBack(client, error))
    signal?.throwIfAborted()
    throw error
  } finally {
    isDone = true
    signal?.removeEventListener('abort', onAbort)
    client.off('error', ignore)
    client.release(isBroken)
  }
}

/** Cancels, then destroys the connection: between two statements a cancellation has no effect. */
async function stopStatements(client: SessionClient, isDone: () => boolean): Promise<void> {
  await cancelStatement(client)
  await sleep(CANCEL_GRACE_MS, undefined, { ref: false })
  if (!isDone()) client.connection.stream.destroy()
}

/** How long a statement may take to end after it was cancelled. */
const CANCEL_GRACE_MS = 1000

/** Turns the failure into one for the client, so that a refused connection is not retried. */
async function connect(pool: Pool): Promise<SessionClient> {
  try {
    return (await pool.connect()) as SessionClient
  } catch (error) {
    throw toStoreFailure(error)
  }
}

/** Rolls back after a failure. Returns true if the connection can be reused. */
async function rollBack(client: SessionClient, error: unknown): Promise<boolean> {
  if (isLostConnection(error)) return false
  try {
    await client.query('ROLLBACK')
    return true
  } catch {
    return false
  }
}

/** Marks a message as a cancel request instead of the start of a session. */
const CANCEL_REQUEST_CODE = 80877102
const CANCEL_REQUEST_BYTES = 16

/**
 * Cancels the statement that runs on a connection, and resolves when the request was delivered or
 * failed. It is sent on a separate connection, which poolers forward too. `pg_cancel_backend` would
 * need the process ID of the backend, which a pooler hides.
 */
export async function cancelStatement(client: ClientSecrets): Promise<void> {
  const { host, port, processID, secretKey } = client
  const isSocketFolder = host.startsWith('/')
  const socket = isSocketFolder
    ? createConnection({ path: `${host}/.s.PGSQL.${port}` })
    : createConnection({ host, port })
  const message = Buffer.alloc(CANCEL_REQUEST_BYTES)
  message.writeInt32BE(CANCEL_REQUEST_BYTES, 0)
  message.writeInt32BE(CANCEL_REQUEST_CODE, 4)
  message.writeInt32BE(processID ?? 0, 8)
  message.writeInt32BE(secretKey ?? 0, 12)
  // The statement timeout ends the statement if the request cannot be delivered.
  socket.on('error', () => {})
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy())
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.end(message)
  // The server replies by closing the connection.
  socket.resume()
  await closed
}
