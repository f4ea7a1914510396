/** Access to PostgreSQL: pooled connections, transactions, retries, and queues with limits. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { CallerBuckets } from '../../../admission/caller-limits.ts'
import { TurnQueue } from '../../../admission/turn-queue.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { QUERY_TIMEOUT_SECONDS } from '../../../contract/limits.ts'
import type { StoreLoad } from '../../port/maintenance.ts'
import { INTERNAL_CONTEXT, type RequestContext } from '../../port/request-context.ts'
import { ABANDONED_GRACE_MS, PROMPT_STOPS, queryTimedOut } from '../../slow-queries.ts'
import { CONNECT_TIMEOUT_MS, makePool } from './connection-pool.ts'
import { NotifiedPublications } from './notified-publications.ts'
import { ReadPool, withClient } from './read-pool.ts'
import {
  ClientSession,
  NO_TIMEOUT_MS,
  type QueryOptions,
  type Row,
  type Session,
  type WriteSession,
} from './session.ts'
import {
  isClosedConnection,
  isConflict,
  isLostConnection,
  isStatementTimeout,
  toStoreFailure,
  UnknownOutcome,
} from './store-failure.ts'

import { CONNECTIONS, makeQueues } from './work-queues.ts'

export type { QueryOptions, Row, Session, WriteSession }

const WRITE_ATTEMPTS = 5
/** Statements that write the rows of a batch may take longer, see `extendTimeout`. */
const WRITE_STATEMENT_TIMEOUT_MS = 30_000
const CANCEL_MARGIN_MS = 2000

/** How a transaction is run. */
interface WriteOptions extends Pick<Writer, 'signal'> {
  readonly beginsTogether?: boolean
  readonly pool?: Pool
}

interface DatabaseOptions {
  readonly queryTimeoutMs?: number | undefined
}

/** The caller of a write. */
export interface Writer {
  readonly callerId?: string | undefined
  /** If it is aborted, a write that waits is not started, and one that sends rows is rolled back. */
  readonly signal?: AbortSignal | undefined
}

/** The caller of a write, and the lock that it waits for. */
export interface WriteOwner extends Writer {
  /** Limits how many writes with this key run at once, because they wait for the same lock. */
  readonly key?: string | undefined
}

export class Database implements AsyncDisposable {
  readonly #queryTimeoutMs: number
  readonly #pools: Readonly<Record<keyof typeof CONNECTIONS, Pool>>
  readonly #quick: ReadPool
  readonly publications: NotifiedPublications
  readonly #promptStops = new CallerBuckets(PROMPT_STOPS)
  readonly #copyTurns = new TurnQueue()
  readonly #inProgress = new Set<Promise<unknown>>()
  readonly #stopping = new AbortController()
  readonly #queues = makeQueues()
  #isAlone = false

  constructor(url: string, options: DatabaseOptions = {}) {
    this.#queryTimeoutMs = options.queryTimeoutMs ?? 1000 * QUERY_TIMEOUT_SECONDS
    const pool = (kind: keyof typeof CONNECTIONS, statementTimeoutMs: number) =>
      makePool(url, { max: CONNECTIONS[kind], statementTimeoutMs, isQuick: kind === 'quick' })
    this.#pools = {
      quick: pool('quick', this.#queryTimeoutMs),
      // Only takes effect if the cancellation from here fails.
      slow: pool('slow', this.#queryTimeoutMs + CANCEL_MARGIN_MS),
      write: pool('write', WRITE_STATEMENT_TIMEOUT_MS),
      unlimited: pool('unlimited', NO_TIMEOUT_MS),
    }
    this.#quick = new ReadPool(this.#pools.quick)
    // One connection listens, the other notifies.
    this.publications = new NotifiedPublications(
      makePool(url, {
        max: 2,
        statementTimeoutMs: WRITE_STATEMENT_TIMEOUT_MS,
        storesNothing: true,
      }),
    )
  }

  /** Checks that the database replies within the timeout. */
  async check(sql: string, timeoutMs = CONNECT_TIMEOUT_MS): Promise<void> {
    const check = this.#track(() =>
      withClient(this.#pools.quick, (client) =>
        new ClientSession(client, { timeoutMs }).query(sql),
      ),
    )
    const isDone = new AbortController()
    const timeout = sleep(timeoutMs, undefined, { signal: isDone.signal }).then(() => {
      throw new ObjectQueryError('ServiceUnavailable', { reason: 'the database does not answer' })
    })
    try {
      await Promise.race([check, timeout])
    } finally {
      isDone.abort()
    }
  }

  /** Runs one quick read-only statement outside a transaction. */
  query(sql: string, values?: readonly unknown[], options?: QueryOptions): Promise<readonly Row[]> {
    return this.#trackQuery(() => this.#quick.query(sql, values, options))
  }

  /** Runs quick statements in a read-only transaction with one snapshot of the database. */
  read<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.#trackQuery(() => this.#quick.read(run))
  }

  /**
   * Runs a query whose cost is proportional to its rows. Callers share the connections fairly. Such
   * a query is short, so it is not cancelled when its client disconnects.
   */
  readQuickly<T>({ callerId }: RequestContext, run: (pool: ReadPool) => Promise<T>): Promise<T> {
    return this.#trackQuery(() => this.#queues.pages.run({ callerId }, () => run(this.#quick)))
  }

  /**
   * Runs a slow query on a separate pool. Cancels it after the query timeout, or when the client
   * disconnects.
   */
  readSlowly<T>(context: RequestContext, run: (pool: ReadPool) => Promise<T>): Promise<T> {
    const { callerId } = context
    const signal = context.signal()
    return this.#trackQuery(() =>
      this.#queues.slowQueries.run({ callerId, signal }, async () => {
        const ended = new AbortController()
        const timedOut = () => ended.abort(queryTimedOut(this.#queryTimeoutMs))
        const timer = setTimeout(timedOut, this.#queryTimeoutMs)
        let graceTimer: NodeJS.Timeout | undefined
        const onAbandoned = () => {
          const graceMs = this.#promptStops.take(callerId) ? 0 : ABANDONED_GRACE_MS
          graceTimer = setTimeout(() => ended.abort(signal.reason), graceMs)
        }
        signal.addEventListener('abort', onAbandoned)
        if (signal.aborted) onAbandoned()
        try {
          const stopped = AbortSignal.any([ended.signal, this.#stopping.signal])
          return await run(new ReadPool(this.#pools.slow, stopped))
        } finally {
          signal.removeEventListener('abort', onAbandoned)
          clearTimeout(timer)
          clearTimeout(graceTimer)
        }
      }),
    )
  }

  /**
   * Runs a write transaction. Retries it after a conflict or a closed connection if it was certainly
   * not committed, so `run` must do the same each time.
   */
  write<T>(run: (session: WriteSession) => Promise<T>, owner: WriteOwner = {}): Promise<T> {
    return this.#queueWrite(owner, () => this.#writeWithRetries(run, owner.signal))
  }

  /**
   * Runs a transaction for which a write waits that holds locks. Its connection is none of those of
   * writes, all of which may wait for these locks.
   */
  writeBeside<T>(run: (session: WriteSession) => Promise<T>): Promise<T> {
    return this.#track(() => this.#writeOnce(run, { pool: this.#pools.quick }))
  }

  /** Runs statements outside a transaction, which take as long as they need until the store is closed. */
  runUnlimited<T>(run: (session: WriteSession) => Promise<T>): Promise<T> {
    const { unlimited } = this.#pools
    return this.#track(() =>
      withClient(unlimited, (client) => run(new ClientSession(client)), this.#stopping.signal),
    )
  }

  /** Does the same, unless it does so for another caller already: then it returns undefined. */
  runUnlimitedAlone<T>(run: (session: WriteSession) => Promise<T>): Promise<T> | undefined {
    if (this.#isAlone) return undefined
    this.#isAlone = true
    return this.runUnlimited(run).finally(() => {
      this.#isAlone = false
    })
  }

  /**
   * Does the same as `write`, unless the write is done by the time that its turn comes. It must begin
   * with `together`, and only read there: its BEGIN is sent with these statements, and might fail.
   */
  writeUnless<T>(
    isDone: () => boolean,
    run: (session: WriteSession) => Promise<T>,
    owner: WriteOwner,
  ): Promise<T | undefined> {
    return this.#queueWrite(owner, async () =>
      isDone() ? undefined : this.#writeWithRetries(run, owner.signal, true),
    )
  }

  #queueWrite<T>(owner: WriteOwner, run: () => Promise<T>): Promise<T> {
    const { key, callerId = INTERNAL_CONTEXT.callerId, signal } = owner
    return this.#track(() => this.#queues.writes.run({ callerId, key, signal }, run))
  }

  async #writeWithRetries<T>(
    run: (session: WriteSession) => Promise<T>,
    signal: AbortSignal | undefined,
    beginsTogether = false,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#writeOnce(run, { signal, beginsTogether })
      } catch (error) {
        const canRetry = isConflict(error) || (isClosedConnection(error) && attempt === 1)
        if (!canRetry || attempt === WRITE_ATTEMPTS) throw error
      }
    }
  }

  /** Returns the queues, and the connections of each pool. */
  load(): StoreLoad {
    const { pages, slowQueries, writes } = this.#queues
    const ofPool = ([kind, pool]: readonly [string, Pool]) => {
      const { totalCount, idleCount: idle, waitingCount: waiting } = pool
      return [kind, { inUse: totalCount - idle, idle, limit: pool.options.max, waiting }] as const
    }
    return {
      queues: {
        pages: pages.state(),
        'slow queries': slowQueries.state(),
        writes: writes.state(),
      },
      connections: Object.fromEntries(Object.entries(this.#pools).map(ofPool)),
    }
  }

  /** Refuses waiting slow queries now, and cancels running ones after the grace period. */
  drain(reason: string, graceMs: number): void {
    // Not closed: a write that has begun may need further ones to complete.
    this.#queues.writes.refuseWaiting(reason)
    this.#queues.slowQueries.close(reason)
    const error = new ObjectQueryError('ServiceUnavailable', { reason })
    setTimeout(() => this.#stopping.abort(error), graceMs).unref()
  }

  /** Waits for all work in progress, then closes the pools. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.allSettled(this.#inProgress)
    await this.publications[Symbol.asyncDispose]()
    const open = Object.values(this.#pools).filter((pool) => !pool.ended)
    await Promise.all(open.map((pool) => pool.end()))
  }

  #trackQuery<T>(work: () => Promise<T>): Promise<T> {
    return this.#track(async () => {
      try {
        return await work()
      } catch (error) {
        throw isStatementTimeout(error) ? queryTimedOut(this.#queryTimeoutMs) : error
      }
    })
  }

  async #track<T>(work: () => Promise<T>): Promise<T> {
    const working = work()
    this.#inProgress.add(working)
    try {
      return await working
    } catch (error) {
      throw toStoreFailure(error)
    } finally {
      this.#inProgress.delete(working)
    }
  }

  async #writeOnce<T>(
    run: (session: WriteSession) => Promise<T>,
    { signal, beginsTogether = false, pool = this.#pools.write }: WriteOptions,
  ): Promise<T> {
    let isCommitting = false
    try {
      return await withClient(pool, async (client) => {
        const nextTurn = () => {
          signal?.throwIfAborted()
          return this.#copyTurns.next()
        }
        const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED'
        const session = new ClientSession(client, { nextTurn, begin })
        if (!beginsTogether) await session.begin()
        const result = await run(session)
        isCommitting = true
        await session.commit()
        return result
      })
    } catch (error) {
      throw isCommitting && isLostConnection(error) ? new UnknownOutcome(error) : error
    }
  }
}
