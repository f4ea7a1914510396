/**
 * Operations: procedures over the database that are written once for both stores. An operation is
 * a generator that calls the session with `yield*`. On SQLite every statement has its result at once,
 * so the generator never pauses. On PostgreSQL it pauses with the promise of each result.
 *
 * Its session runs statements in the transaction of one of the databases.
 */

import { LRUCache } from 'lru-cache'

/** Yields what must be awaited, and receives the value of it. Only sessions yield. */
export type Operation<Result> = Generator<Promise<unknown>, Result, unknown>

/** Runs an operation of a session that answers at once. */
export function runNow<Result>(operation: Operation<Result>): Result {
  const step = operation.next()
  if (step.done !== true) throw new Error('an operation of a synchronous session has to await')
  return step.value
}

/** Runs an operation, and awaits what it yields. */
export async function runAwaited<Result>(operation: Operation<Result>): Promise<Result> {
  let step = operation.next()
  while (step.done !== true) {
    let value: unknown
    try {
      value = await step.value
    } catch (error) {
      // The operation may handle a statement that failed.
      step = operation.throw(error)
      continue
    }
    step = operation.next(value)
  }
  return step.value
}

/** Makes a promise a part of an operation, for the parts of a store that are asynchronous. */
export function* awaited<Result>(promise: Promise<Result>): Operation<Result> {
  // The generator receives the value of the promise that it has yielded.
  return (yield promise) as Result
}

/** Makes a value that is known at once a part of an operation, for the parts of SQLite. */
// biome-ignore lint/correctness/useYield: its value is known at once.
export function* settled<Result>(value: Result): Operation<Result> {
  return value
}

/** The value of a placeholder. A list is for `Dialect.isOneOf` only. */
export type Parameter = string | number | bigint | boolean | null | Uint8Array | ParameterList

type ParameterList = readonly string[] | readonly number[]

export interface StatementOptions {
  /** True for statements that run often with the same text. SQLite keeps all statements prepared. */
  readonly isPrepared?: boolean
}

/**
 * Reads. Each `?` of a statement is bound to a parameter. Texts of statements are constants, or have
 * few variants, because each text is prepared once.
 */
export interface ReadSession {
  readonly dialect: Dialect
  /** What slow operations keep between their runs. Others have no memory. */
  readonly memory?: Memory | undefined
  /** Returns all rows. The columns are in the order of the statement. */
  query<Of extends Columns>(
    sql: string,
    parameters: readonly Parameter[],
    columns: Of,
    options?: StatementOptions,
  ): Operation<readonly RowOf<Of>[]>
  /** Returns the first row. */
  find<Of extends Columns>(
    sql: string,
    parameters: readonly Parameter[],
    columns: Of,
    options?: StatementOptions,
  ): Operation<RowOf<Of> | undefined>
  /** Lets others run between parts of a long computation, unless this thread does nothing else. */
  pause(): Operation<void>
}

/** Values by name; the least recently used are forgotten. */
export type Memory = LRUCache<string, object>

export function newMemory(): Memory {
  return new LRUCache({ max: 4 })
}

/** A statement whose result nobody needs, and that runs often with the same text. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

/** Reads and writes in one transaction. */
export interface CoreSession extends ReadSession {
  /** Returns the number of rows that a statement has changed. */
  run(sql: string, parameters: readonly Parameter[], options?: StatementOptions): Operation<number>
  /** Runs statements one after the other; on PostgreSQL, in one round trip. */
  runAll(statements: readonly Statement[]): Operation<void>
  /** Runs statements that change the schema. They are not prepared, and have no parameters. */
  execute(sql: string): Operation<void>
  /** Extends the timeout of the following statements in the transaction. */
  extendTimeout(): Operation<void>
  /**
   * Takes a lock of the whole store until the end of the transaction. Returns false if another
   * transaction has it. On SQLite, which has one writer, it is always free.
   */
  tryLock(lock: StoreLock): Operation<boolean>
}

/** `reclaim`: one node at a time deletes what is no longer needed. */
export type StoreLock = 'reclaim'

/**
 * Fragments of SQL that differ between the databases. Everything else is written in the SQL that
 * both understand: ON CONFLICT, RETURNING, FILTER, row values, UPDATE … FROM, `CAST(? AS bigint)`,
 * IS DISTINCT FROM, TRUE and FALSE.
 */
export interface Dialect {
  /**
   * Follow a SELECT and lock its rows until the end of the transaction. Empty on SQLite, whose
   * transactions that write run one after the other.
   */
  readonly lock: RowLocks
  /** Follows an expression: `IN` or `= ANY` for a parameter that is a list. */
  isOneOf(type: ColumnType): string
  /**
   * A table of rows for FROM. Its parameter is the JSON text of an array with an array of values for
   * each row, in the order of the columns.
   */
  rows(columns: Readonly<Record<string, ColumnType>>): string
  /** A member of a JSON text, as a text. */
  member(json: string, name: string): string
  /**
   * A number that changes with every revoked token and every policy, so that nodes can remember both.
   * NULL on SQLite, where reading them again costs little.
   */
  readonly tokenGeneration: string
  /** The JSON text of a member whose name is a parameter. */
  memberJson(json: string): string
  /** The bytes of the columns of a row, aliased `o`, in a record. */
  readonly storedBytes: string
  /** The primary key of a row as a JSON string. */
  readonly keyJson: string
  /** Follows an assignment of a title: rows may have it in two ways. */
  readonly noTitlePlace: string
  /** Selects the names of the indexes of a table that are not unique. Its name is a parameter. */
  readonly deferredIndexes: string
}

type ColumnType = 'text' | 'integer'

/** Locks of rows by what their holder does. */
export interface RowLocks {
  /** Conflicts with all others. */
  readonly change: string
  /** Conflicts with `change` and itself. */
  readonly commit: string
  /** Conflicts with `change` only. */
  readonly load: string
  /** Like `change`, but leaves out rows that another transaction has locked. */
  readonly skipLocked: string
}

/**
 * Returns the text of a statement that has fragments of a dialect, and is written once for each: a
 * new text would have to be hashed whenever its prepared statement is looked up.
 */
export function perDialect(write: (dialect: Dialect) => string): (session: ReadSession) => string {
  const texts = new WeakMap<Dialect, string>()
  return ({ dialect }) => {
    const known = texts.get(dialect)
    if (known !== undefined) return known
    const text = write(dialect)
    texts.set(dialect, text)
    return text
  }
}

/**
 * Reads the value of a column. Throws if the value has another type. Both databases return rows as
 * arrays, but PostgreSQL returns 64-bit integers as texts, and SQLite returns truth values as 0 and 1:
 * a reader hides that.
 */
export type ColumnReader<Value> = (value: unknown) => Value

/** The columns of a statement by name, in the order of the statement. */
export type Columns = Readonly<Record<string, ColumnReader<unknown>>>

export type RowOf<Of extends Columns> = { readonly [Name in keyof Of]: ReturnType<Of[Name]> }

export function integer(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' || typeof value === 'bigint') return Number(value)
  throw unexpected('an integer', value)
}

export function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw unexpected('a text', value)
}

export function boolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  if (value === 0 || value === 1) return value === 1
  throw unexpected('a truth value', value)
}

export function bytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw unexpected('bytes', value)
}

/** Reads a text that is one of a few words. The schema of the table allows no other. */
export function word<Word extends string>(value: unknown): Word {
  return text(value) as Word
}

/** Reads JSON text that this service has written. */
export function json<Value>(value: unknown): Value {
  return JSON.parse(text(value)) as Value
}

/** Reads a column that can be NULL, which becomes undefined. */
export function optional<Value>(read: ColumnReader<Value>): ColumnReader<Value | undefined> {
  return (value) => (value === null ? undefined : read(value))
}

/** Returns the list of the columns for a statement: their names in the database. */
export function columnList(columns: Columns, table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`
  return Object.keys(columns)
    .map((name) => prefix + name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .join(', ')
}

/** Reads rows. The statement must have exactly these columns. */
export function readRows<Of extends Columns>(
  rows: readonly (readonly unknown[])[],
  columns: Of,
): RowOf<Of>[] {
  const names = Object.keys(columns)
  return rows.map((row) => toRow(row, names, columns))
}

export function readRow<Of extends Columns>(row: readonly unknown[], columns: Of): RowOf<Of> {
  return toRow(row, Object.keys(columns), columns)
}

function toRow<Of extends Columns>(
  row: readonly unknown[],
  names: readonly string[],
  columns: Of,
): RowOf<Of> {
  if (row.length !== names.length) {
    throw new Error(`a statement has ${row.length} columns, its reader ${names.join(', ')}`)
  }
  const read: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string
    read[name] = columns[name]?.(row[at])
  }
  return read as RowOf<Of>
}

function unexpected(expected: string, value: unknown): Error {
  const found = value === null ? 'NULL' : typeof value
  return new Error(`the database returned ${found} instead of ${expected}`)
}
