/** Statements on one connection, and how long each of them may take. */
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Statement } from '../../core/session/session.ts'
import { AS_BYTES, type ByteRow } from './byte-rows.ts'

export const IDLE_TRANSACTION_TIMEOUT_MS = 30_000
/** After this long past the statement timeout without a reply, the connection is considered dead. */
export const SILENCE_MS = 15_000
/** Long enough for the largest batch, even on a slow, shared disk. */
export const BATCH_TIMEOUT_MS = 10 * 60_000
export const NO_TIMEOUT_MS = 24 * 3_600_000

/** The columns of a row, in the order of the statement. */
export type Row = readonly unknown[]

export interface QueryOptions {
  /** True for statements that run often with the same text. */
  readonly isPrepared?: boolean
  /** True if the result is so large that reading it must yield to other work. */
  readonly inTurns?: boolean
}

/** A transaction, or a connection outside one. Each `?` of a statement is bound to a value. */
export interface Session {
  query(sql: string, values?: readonly unknown[], options?: QueryOptions): Promise<readonly Row[]>
  /** Returns values in binary form, exactly as the database sent them. Meant for large values. */
  queryBytes(
    sql: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<readonly ByteRow[]>
}

export interface WriteSession extends Session {
  /** Returns the number of rows that the statement changed. */
  run(sql: string, values?: readonly unknown[], options?: QueryOptions): Promise<number>
  /**
   * Runs what a function sends in one round trip: each statement is sent before the one before it has
   * run. Fails if one of them fails. COPY is impossible.
   */
  together<const Results extends readonly unknown[]>(
    send: () => { readonly [At in keyof Results]: Promise<Results[At]> },
  ): Promise<Results>
  /** Runs statements in one round trip. */
  runAll(statements: readonly Statement[]): Promise<void>
  /** Runs statements at the end of the transaction, in one round trip with its COMMIT. */
  runLast(statements: readonly Statement[]): void
  /** Sends bytes to a `COPY … FROM STDIN` and returns the number of rows. */
  copyIn(sql: string, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<number>
  /** Changes the statement timeout for the rest of this transaction; without one, removes it. */
  extendTimeout(timeoutMs?: number): Promise<void>
}

/** Properties of the driver's client that are missing in its types. */
export interface ClientSecrets {
  readonly host: string
  readonly port: number
  readonly processID: number | null
  readonly secretKey: number | null
}

/** A client of a pool, with what the types of the driver lack. */
export type SessionClient = PoolClient &
  ClientSecrets & {
    readonly prepared: PreparedStatements
    /** Whether a query is sent before the results of earlier ones have arrived. */
    pipeline: boolean
  }

interface SessionOptions {
  /** How long the driver waits for a reply, instead of the timeout of the pool. */
  readonly timeoutMs?: number | undefined
  /** Waits until the next rows of a COPY may be produced. */
  readonly nextTurn?: () => Promise<void>
  /** Opens the transaction; see `begin`. */
  readonly begin?: string
}

export class ClientSession implements WriteSession {
  readonly #client: SessionClient
  /** How long the driver waits for a reply; undefined for the timeout of the pool. */
  #timeoutMs: number | undefined

  readonly #nextTurn: () => Promise<void>
  #begin: string | undefined
  /** The statements that are sent with the COMMIT. */
  readonly #last: Statement[] = []

  constructor(
    client: SessionClient,
    { timeoutMs, nextTurn = nextImmediate, begin }: SessionOptions = {},
  ) {
    this.#client = client
    this.#timeoutMs = timeoutMs
    this.#nextTurn = nextTurn
    this.#begin = begin
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

  async run(
    sql: string,
    values: readonly unknown[] = [],
    options: QueryOptions = {},
  ): Promise<number> {
    return (await this.#send<unknown[]>(sql, values, options)).rowCount ?? 0
  }

  async together<const Results extends readonly unknown[]>(
    send: () => { readonly [At in keyof Results]: Promise<Results[At]> },
  ): Promise<Results> {
    const client = this.#client
    // Only for these statements, because COPY is impossible in this mode.
    client.pipeline = true
    try {
      // The first statement of a transaction is sent with its BEGIN.
      const outcomes = await Promise.allSettled([this.begin(), ...send()])
      return outcomes.slice(1).map((outcome, at) => {
        const [begun] = outcomes
        if (at === 0 && begun?.status === 'rejected') throw begun.reason
        // The others failed because of the first one.
        if (outcome.status === 'rejected') throw outcome.reason
        return outcome.value
      }) as unknown as Results
    } finally {
      client.pipeline = false
    }
  }

  async runAll(statements: readonly Statement[]): Promise<void> {
    await this.together(() => statements.map((statement) => this.#runPrepared(statement)))
  }

  runLast(statements: readonly Statement[]): void {
    this.#last.push(...statements)
  }

  /** Opens the transaction, if it is not open yet. */
  async begin(): Promise<void> {
    const sql = this.#begin
    this.#begin = undefined
    if (sql !== undefined) await this.#client.query(sql)
  }

  /** Commits the transaction, after the statements for which that was requested. */
  async commit(): Promise<void> {
    const commit = () => this.#client.query('COMMIT')
    const results =
      this.#last.length === 0
        ? [await commit()]
        : await this.together(() => [...this.#last.map((one) => this.#runPrepared(one)), commit()])
    const { command } = results.at(-1) as Awaited<ReturnType<typeof commit>>
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
  }

  #runPrepared({ sql, parameters }: Statement): Promise<number> {
    return this.run(sql, parameters, { isPrepared: true })
  }

  async copyIn(
    sql: string,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<number> {
    // The driver reads the timeout from the query object.
    const query = Object.assign(copyFrom(sql), this.#timeout())
    const stream = this.#client.query(query)
    let failure: unknown
    // Stays until the end: a lost connection emits the error a second time.
    stream.on('error', (error) => {
      failure ??= error
    })
    const ended = once(stream, 'finish')
    // Awaited below, but it may reject before that.
    ended.catch(() => {})
    try {
      for await (const chunk of chunks) {
        // After an error of the server, the stream has no connection to write to.
        if (failure !== undefined) break
        if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), ended])
        await this.#nextTurn()
      }
    } catch (error) {
      const cause = failure ?? error
      // Ends the COPY. Otherwise the server would wait for more rows, and hold its locks.
      if (failure === undefined) stream.destroy(error as Error)
      await ended.catch(() => {})
      throw cause
    }
    if (failure === undefined) stream.end()
    await ended
    return stream.rowCount
  }

  async extendTimeout(timeoutMs = 0): Promise<void> {
    this.#timeoutMs = timeoutMs === 0 ? NO_TIMEOUT_MS : timeoutMs + SILENCE_MS
    await this.query(`SELECT set_config('statement_timeout', ?, true)`, [String(timeoutMs)])
  }

  #send<R extends unknown[]>(
    sql: string,
    values: readonly unknown[],
    { isPrepared = false, inTurns = false }: QueryOptions,
    form: object = {},
  ) {
    const prepared = isPrepared ? this.#client.prepared.findOrAdd(sql) : undefined
    const send = () =>
      this.#client.query<R>({
        ...(prepared ?? { text: numberParameters(sql) }),
        values: [...values],
        rowMode: 'array',
        ...form,
        ...this.#timeout(),
      })
    if (!inTurns) return send()
    return readInTurns(this.#client.connection.stream, send)
  }

  /** `query_timeout` is missing in the types of the driver. */
  #timeout(): { readonly query_timeout?: number } {
    return this.#timeoutMs === undefined ? {} : { query_timeout: this.#timeoutMs }
  }
}

/**
 * Reads a large result one chunk per iteration of the event loop. Node itself reads a socket up to
 * 32 times in a row, two megabytes of rows, before it handles anything else.
 */
export async function readInTurns<Result>(
  stream: Readable,
  run: () => Promise<Result>,
): Promise<Result> {
  const pause = () => {
    stream.pause()
    setImmediate(() => stream.resume())
  }
  stream.on('data', pause)
  try {
    return await run()
  } finally {
    stream.off('data', pause)
  }
}

/** The maximum number of prepared statements per connection; further ones run unprepared. */
const MAX_PREPARED = 500
/** The length of all their texts; longer ones run unprepared. */
const MAX_LENGTH = 1_000_000

interface PreparedStatement {
  /** Unique on its connection only. */
  readonly name: string
  readonly text: string
}

/** The prepared statements of one connection, by their SQL. */
export class PreparedStatements {
  readonly #statements = new Map<string, PreparedStatement>()
  #length = 0

  /** Returns the statement to prepare; undefined if the connection has no room for another one. */
  findOrAdd(sql: string): PreparedStatement | undefined {
    const known = this.#statements.get(sql)
    const hasRoom = this.#statements.size < MAX_PREPARED && this.#length + sql.length <= MAX_LENGTH
    if (known !== undefined || !hasRoom) return known
    this.#length += sql.length
    const statement = { name: `oqs_${this.#statements.size}`, text: numberParameters(sql) }
    this.#statements.set(sql, statement)
    return statement
  }
}

/** Replaces each `?` by `$1`, `$2`, …; our SQL contains no other question marks. */
export function numberParameters(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => {
    count += 1
    return `$${count}`
  })
}
