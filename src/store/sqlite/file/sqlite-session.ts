/**
 * Runs operations on SQLite, where every statement has its result at once; and what a connection
 * keeps for that: its prepared statements, and values that it read until the next commit.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import {
  type Columns,
  type CoreSession,
  type Dialect,
  newMemory,
  type Operation,
  type Parameter,
  type RowOf,
  readRow,
  readRows,
  runNow,
  type Statement,
} from '../../core/session/session.ts'
import { keyJson, ROW_BYTES } from './row-texts.ts'

export const SQLITE_DIALECT: Dialect = {
  // Transactions that write run one after the other.
  lock: { change: '', commit: '', load: '', skipLocked: '' },
  isOneOf: () => 'IN (SELECT value FROM json_each(?))',
  rows: (columns) => {
    const values = Object.keys(columns).map((name, at) => `value ->> ${at} AS ${name}`)
    return `(SELECT ${values.join(', ')} FROM json_each(?))`
  },
  member: (json, name) => `${json} ->> '${name}'`,
  tokenGeneration: 'NULL',
  memberJson: (json) => `(${json} -> ?)`,
  storedBytes: ROW_BYTES,
  keyJson: keyJson(''),
  noTitlePlace: ', title_place = NULL',
  deferredIndexes: 'SELECT name FROM pragma_index_list(?) WHERE NOT "unique"',
}

/** A session of a connection. On a connection that only reads, SQLite refuses to write. */
export class SqliteSession implements CoreSession {
  readonly dialect = SQLITE_DIALECT
  readonly memory = newMemory()
  readonly #db: DatabaseSync
  readonly #statements: StatementCache

  constructor(db: DatabaseSync, statements: StatementCache) {
    this.#db = db
    this.#statements = statements
  }

  // biome-ignore-start lint/correctness/useYield: the results are known at once.
  *query<Of extends Columns>(
    sql: string,
    parameters: readonly Parameter[],
    columns: Of,
  ): Operation<readonly RowOf<Of>[]> {
    return readRows(this.#statements.prepare(sql).all(...bind(parameters)), columns)
  }

  *find<Of extends Columns>(
    sql: string,
    parameters: readonly Parameter[],
    columns: Of,
  ): Operation<RowOf<Of> | undefined> {
    const row = this.#statements.prepare(sql).get(...bind(parameters))
    return row && readRow(row, columns)
  }

  *run(sql: string, parameters: readonly Parameter[]): Operation<number> {
    return Number(this.#statements.prepare(sql).run(...bind(parameters)).changes)
  }

  *runAll(statements: readonly Statement[]): Operation<void> {
    for (const { sql, parameters } of statements) yield* this.run(sql, parameters)
  }

  *execute(sql: string): Operation<void> {
    this.#db.exec(sql)
  }

  /** Slow operations run in the writer thread, or in a process of their own. */
  *pause(): Operation<void> {}

  /** Statements have no timeout. */
  *extendTimeout(): Operation<void> {}

  *tryLock(): Operation<boolean> {
    return true
  }
  // biome-ignore-end lint/correctness/useYield: see above.
}

/** SQLite has neither truth values nor lists: they become 0 and 1, and JSON. */
function bind(parameters: readonly Parameter[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (typeof value === 'boolean') return value ? 1 : 0
    return isList(value) ? JSON.stringify(value) : value
  })
}

function isList(value: Parameter): value is Extract<Parameter, readonly unknown[]> {
  return Array.isArray(value)
}

/** Runs an operation within the transaction of a connection. */
export function runIn<Result>(
  { session }: { readonly session: SqliteSession },
  operation: (session: SqliteSession) => Operation<Result>,
): Result {
  return runNow(operation(session))
}

const CAPACITY = 1000
const MAX_BYTES = 32 * 1024 * 1024
/** A prepared statement takes several times the length of its text; a rough measure. */
const STATEMENT_BYTES = 3000
const BYTES_PER_CHARACTER = 8

/** The columns of a row, in the order of the statement. */
type ArrayRow = readonly SQLOutputValue[]

/** A statement whose rows are arrays: they cost less than objects. */
export interface ArrayStatement extends Pick<StatementSync, 'run' | 'setReadBigInts'> {
  all(...values: readonly SQLInputValue[]): ArrayRow[]
  get(...values: readonly SQLInputValue[]): ArrayRow | undefined
  iterate(...values: readonly SQLInputValue[]): NodeJS.Iterator<ArrayRow>
}

/** A statement, with the values of its first placeholders. */
export interface Prepared {
  readonly statement: ArrayStatement
  readonly values: readonly string[]
}

/** Caches the prepared statements of a connection, and evicts the least recently used. */
export class StatementCache {
  readonly #db: DatabaseSync
  readonly #prepared = new LRUCache<string, Prepared>({ max: CAPACITY, maxSize: MAX_BYTES })

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Returns the prepared statement of a text. */
  prepare(sql: string): ArrayStatement {
    return this.#prepared.get(sql)?.statement ?? this.#add(sql, { sql, values: [] }).statement
  }

  /** Returns a statement by a short key: writing its SQL would take a fifth of a small page's time. */
  prepareByKey(key: string, write: () => { sql: string; values: readonly string[] }): Prepared {
    return this.#prepared.get(key) ?? this.#add(key, write())
  }

  /** Prepares a statement that is not kept: it hardly recurs, and would evict others. */
  prepareOnce(sql: string): ArrayStatement {
    const statement = this.#db.prepare(sql)
    statement.setReturnArrays(true)
    // The types of node:sqlite do not know that its rows are arrays now.
    return statement as unknown as ArrayStatement
  }

  #add(key: string, { sql, values }: { sql: string; values: readonly string[] }): Prepared {
    const prepared = { statement: this.prepareOnce(sql), values }
    const characters = sql.length + (key === sql ? 0 : key.length)
    const size = STATEMENT_BYTES + characters * BYTES_PER_CHARACTER
    this.#prepared.set(key, prepared, { size })
    return prepared
  }
}

/** When there are this many values, all are forgotten. Most stores have few. */
const MAX_VALUES = 1000

/**
 * Keeps what a connection has read, as long as no other connection commits. Only for connections that
 * write nothing themselves.
 */
export class KnownUntilCommit<Value> {
  readonly #statements: StatementCache
  readonly #values = new Map<string, Value>()
  #version: ArrayStatement | undefined
  #knownVersion: unknown

  constructor(statements: StatementCache) {
    this.#statements = statements
  }

  /** Returns the value of a key, and reads it if it may have changed. Undefined is never kept. */
  find(key: string, read: () => Value): Value {
    // Changes with every commit of another connection. It is read before the value: if a commit
    // happens in between, the value is read again next time.
    this.#version ??= this.#statements.prepare('PRAGMA data_version')
    const version = this.#version.get()?.[0]
    if (version !== this.#knownVersion || this.#values.size === MAX_VALUES) {
      this.#values.clear()
      this.#knownVersion = version
    }
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const value = read()
    if (value !== undefined) this.#values.set(key, value)
    return value
  }
}
