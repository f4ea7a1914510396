/**
 * Reads on the connections of one pool. Pages and authentication have one lane, slow queries
 * another one, so that neither can use up the connections of the other.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type { ByteRow } from './byte-rows.ts'
import { cancelStatement } from './cancel-statement.ts'
import { ClientSession, type QueryOptions, type Row, type Session } from './session.ts'
import { isCancelled, isLostConnection, toStoreFailure } from './store-failure.ts'

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
  let isDone = false
  const onAbort = () => void stopStatements(client, () => isDone)
  signal?.addEventListener('abort', onAbort)
  let isBroken = false
  try {
    // It may have been aborted while the connection was opened.
    signal?.throwIfAborted()
    const result = await run(client)
    // Too late to be stopped, but the cancellation is on its way.
    isBroken = signal?.aborted === true
    return result
  } catch (error) {
    // A cancellation that did not end the statement may still be on its way, and must not hit the
    // next one.
    const isCancelLost = signal?.aborted === true && !isCancelled(error)
    isBroken = isCancelLost || !(await rolledBack(client, error))
    signal?.throwIfAborted()
    throw error
  } finally {
    isDone = true
    signal?.removeEventListener('abort', onAbort)
    client.off('error', ignore)
    client.release(isBroken)
  }
}

/** A transaction that was between two statements does not notice that it was cancelled. */
async function stopStatements(client: PoolClient, isDone: () => boolean): Promise<void> {
  await cancelStatement(client)
  await sleep(CANCEL_GRACE_MS, undefined, { ref: false })
  if (!isDone()) (client as unknown as BrokenClient).connection.stream.destroy()
}

/** A part of the driver's client which its types leave out. */
interface BrokenClient {
  readonly connection: { readonly stream: { destroy(): void } }
}

/** How long a statement has to end after it was cancelled. */
const CANCEL_GRACE_MS = 1000

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
