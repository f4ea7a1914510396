import { setTimeout as pause } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { ObjectQueryError } from '../../contract/errors.ts'
import { Slots } from '../slots.ts'
import type { ByteRow } from './byte-rows.ts'
import { CONNECT_TIMEOUT_MS, makePool } from './connection-pool.ts'
import {
  ClientSession,
  type QueryOptions,
  type Row,
  type Session,
  type WriteSession,
} from './session.ts'
import { isConflict, isLostConnection, toStoreFailure, UnknownOutcome } from './store-failure.ts'

export type { QueryOptions, Row, Session, WriteSession }

/** How this store talks to PostgreSQL: pooled connections, transactions, bounded waiting. */

/** Connections that may write at once; the others stay free for readers. */
const WRITERS = 5
/** Of those, for one type: one writes, one is ready to go on when it has done so. */
const WRITERS_OF_ONE = 2
const WRITE_ATTEMPTS = 5

export class Database implements AsyncDisposable {
  readonly #pool: Pool
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #writers = new Slots({
    count: WRITERS,
    perKey: WRITERS_OF_ONE,
    busyReason: 'the database is busy: others are still writing',
  })

  constructor(url: string) {
    this.#pool = makePool(url)
  }

  /** Asks once whether the database answers. One that hangs is not waited for. */
  async check(sql: string, timeoutMs = CONNECT_TIMEOUT_MS): Promise<void> {
    const asking = this.#track(() =>
      this.#withClient((client) => new ClientSession(client, timeoutMs).query(sql)),
    )
    const enough = new AbortController()
    const hangs = pause(timeoutMs, undefined, { signal: enough.signal }).then(() => {
      throw new ObjectQueryError('ServiceUnavailable', { reason: 'the database does not answer' })
    })
    try {
      await Promise.race([asking, hangs])
    } finally {
      enough.abort()
    }
  }

  /** One statement that changes nothing, outside a transaction. It is repeated once where the connection was lost. */
  one(sql: string, values?: readonly unknown[], options?: QueryOptions): Promise<readonly Row[]> {
    return this.#once((session) => session.query(sql, values, options))
  }

  /** The same, for rows whose values are many bytes. */
  oneInBytes(
    sql: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<readonly ByteRow[]> {
    return this.#once((session) => session.queryBytes(sql, values, options))
  }

  #once<T>(ask: (session: Session) => Promise<T>): Promise<T> {
    return this.#track(() =>
      this.#repeatRead(() => this.#withClient((client) => ask(new ClientSession(client)))),
    )
  }

  /** Runs in a transaction that sees one moment and changes nothing. */
  read<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.#track(() => this.#repeatRead(() => this.#readOnce(run)))
  }

  /**
   * Runs in a transaction of its own. What was surely not committed is tried again where that can
   * help, so `run` must do the same each time. Few with the same key write at once, so that many
   * who wait for one lock leave room for others.
   */
  write<T>(run: (session: WriteSession) => Promise<T>, key?: string): Promise<T> {
    return this.#track(() =>
      this.#writers.use(key, async () => {
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
