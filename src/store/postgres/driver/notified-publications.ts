/**
 * What any node publishes, by the notifications of PostgreSQL. They are sent after the commit and not
 * within it: transactions that notify commit one after the other, whatever they wrote. If a node ends
 * in between, listeners of others learn of the version with the next one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { LocalPublications } from '../../core/maintenance/local-publications.ts'
import type { PublicationListener, Publications } from '../../port/publications.ts'

const CHANNEL = 'oqs_published'
const RECONNECT_MS = 1000
/** Has a name, so that each connection prepares it once. */
const NOTIFY = {
  name: 'oqs_notify',
  text: 'SELECT pg_backend_pid(), pg_notify($1, rid) FROM unnest($2::text[]) AS rid',
}
/** Stands for any type. A RID is never empty. */
const ANY_TYPE = ''

export class NotifiedPublications implements Publications, AsyncDisposable {
  readonly reachesOthers = true
  readonly #pool: pg.Pool
  readonly #local = new LocalPublications()
  readonly #stopping = new AbortController()
  readonly #unsent = new Set<string>()
  #sending: Promise<void> | undefined
  #followers = 0
  #listening: Promise<void> | undefined
  /** The process of PostgreSQL that sends our notifications, which we ignore. */
  #ownSender: number | undefined
  #stopListening = () => {}

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Listens while somebody follows. */
  follow(listener: PublicationListener): Disposable {
    const following = this.#local.follow(listener)
    this.#followers += 1
    this.#listening ??= this.#listen()
    return {
      [Symbol.dispose]: () => {
        following[Symbol.dispose]()
        this.#followers -= 1
        if (this.#followers === 0) this.#stopListening()
      },
    }
  }

  announce(typeRid: string | undefined): void {
    this.#local.announce(typeRid)
    this.#unsent.add(typeRid ?? ANY_TYPE)
    this.#sending ??= this.#send()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    this.#stopListening()
    await Promise.all([this.#listening, this.#sending])
    await this.#pool.end()
  }

  async #send(): Promise<void> {
    while (this.#unsent.size > 0) {
      const typeRids = [...this.#unsent]
      this.#unsent.clear()
      try {
        const { rows } = await this.#pool.query({ ...NOTIFY, values: [CHANNEL, typeRids] })
        this.#ownSender = rows[0]?.pg_backend_pid
      } catch {
        // The database cannot be reached, which requests report.
      }
    }
    this.#sending = undefined
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stopping
    while (this.#followers > 0 && !signal.aborted) {
      // Requests report a database that cannot be reached.
      await this.#listenOnce().catch(() => {})
      if (this.#followers > 0) await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {})
    }
    this.#listening = undefined
  }

  /** Resolves when the connection has ended. */
  async #listenOnce(): Promise<void> {
    const client = await this.#pool.connect()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    this.#stopListening = end
    client.on('error', () => end())
    client.on('end', () => end())
    client.on('notification', ({ payload, processId }) => {
      if (processId !== this.#ownSender) this.#local.announce(payload || undefined)
    })
    try {
      await client.query(`LISTEN ${CHANNEL}`)
      // What was published before is unknown.
      this.#local.announce(undefined)
      if (this.#followers > 0) await ended
    } finally {
      client.release(true)
    }
  }
}
