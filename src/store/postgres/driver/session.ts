import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { AS_BYTES, type ByteRow } from './byte-rows.ts'
import { mayPrepare, numbered } from './numbered-sql.ts'
import { readInTurns } from './read-in-turns.ts'

/** Statements on one connection, and how long each may take. */

export const IDLE_TRANSACTION_TIMEOUT_MS = 30_000
/** After this long past the statement timeout without a reply, the connection is considered dead. */
export const SILENCE_MS = 15_000
/** The largest batch that is taken has to get in, also where the disk is slow and shared. */
export const BATCH_TIMEOUT_MS = 10 * 60_000
const NO_TIMEOUT_MS = 24 * 3_600_000

/** A row: its columns, in the order of the statement. */
export type Row = readonly unknown[]

export interface QueryOptions {
  /** Whether the statement is worth preparing: its text comes again and again. */
  readonly name?: boolean
  /** Whether the answer is so large that others must have their turn while it is read. */
  readonly inTurns?: boolean
}

/** One transaction, or one connection. Values are bound where the text has a question mark. */
export interface Session {
  query(sql: string, values?: readonly unknown[], options?: QueryOptions): Promise<readonly Row[]>
  /** For rows whose values are many bytes: each as the database has it, in its binary form. */
  queryBytes(
    sql: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<readonly ByteRow[]>
}

export interface WriteSession extends Session {
  /** Gives the number of rows that the statement changed. */
  run(sql: string, values?: readonly unknown[]): Promise<number>
  /** Feeds lines to a `COPY … FROM STDIN`; gives the number of rows. */
  copyIn(sql: string, chunks: AsyncIterable<string>): Promise<number>
  /** Lets each further statement of this transaction take so long, or as long as it needs. */
  takeTime(timeoutMs?: number): Promise<void>
}

export class ClientSession implements WriteSession {
  readonly #client: PoolClient
  /** How long the driver waits for a reply; undefined for what the pool says. */
  #timeoutMs: number | undefined

  constructor(client: PoolClient, timeoutMs?: number) {
    this.#client = client
    this.#timeoutMs = timeoutMs
  }

  async query(
    sql: string,
    values: readonly unknown[] = [],
    options: QueryOptions = {},
  ): Promise<readonly Row[]> {
    return (await this.#send<unknown[]>(sql, values, options)).rows
  }

  async queryBytes(
    sql: string,
    values: readonly unknown[] = [],
    options: QueryOptions = {},
  ): Promise<readonly ByteRow[]> {
    return (await this.#send<(Buffer | null)[]>(sql, values, options, AS_BYTES)).rows
  }

  async run(sql: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.#send<unknown[]>(sql, values, {})).rowCount ?? 0
  }

  async copyIn(sql: string, chunks: AsyncIterable<string>): Promise<number> {
    // The driver looks there for how long it may take.
    const query = Object.assign(copyFrom(sql), this.#timeout())
    const stream = this.#client.query(query)
    // A connection that is given up tells its stream a second time, when nobody waits any more.
    stream.on('error', () => {})
    const ended = once(stream, 'finish')
    // Awaited below; it may fail before that.
    ended.catch(() => {})
    for await (const chunk of chunks) {
      if (stream.destroyed) break
      if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), ended])
    }
    stream.end()
    await ended
    return stream.rowCount
  }

  async takeTime(timeoutMs = 0): Promise<void> {
    this.#timeoutMs = timeoutMs === 0 ? NO_TIMEOUT_MS : timeoutMs + SILENCE_MS
    await this.query(`SELECT set_config('statement_timeout', ?, true)`, [String(timeoutMs)])
  }

  #send<R extends unknown[]>(
    sql: string,
    values: readonly unknown[],
    { name = false, inTurns = false }: QueryOptions,
    form: object = {},
  ) {
    const { text, hash } = numbered(sql)
    const ask = () =>
      this.#client.query<R>({
        text,
        values: [...values],
        rowMode: 'array',
        ...(name && mayPrepare(this.#client, hash) ? { name: hash } : {}),
        ...form,
        ...this.#timeout(),
      })
    if (!inTurns) return ask()
    // A part of the driver which its types leave out.
    const { connection } = this.#client as unknown as { connection: { stream: Readable } }
    return readInTurns(connection.stream, ask)
  }

  /** A setting of the driver which its types leave out. */
  #timeout(): { readonly query_timeout?: number } {
    return this.#timeoutMs === undefined ? {} : { query_timeout: this.#timeoutMs }
  }
}
