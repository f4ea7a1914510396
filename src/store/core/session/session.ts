/** The session of an operation: statements in the transaction of one of the databases. */
import type { Columns, RowOf } from './columns.ts'
import type { Operation } from './operation.ts'

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
}

/** Reads and writes in one transaction. */
export interface CoreSession extends ReadSession {
  /** Returns the number of rows that a statement has changed. */
  run(sql: string, parameters: readonly Parameter[], options?: StatementOptions): Operation<number>
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
