/** Runs operations on SQLite. Every statement has its result at once, so nothing is awaited. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Columns, type RowOf, readRow, readRows } from '../../core/session/columns.ts'
import { type Operation, runNow } from '../../core/session/operation.ts'
import type { CoreSession, Dialect, Parameter } from '../../core/session/session.ts'
import type { StatementCache } from './statement-cache.ts'

const DIALECT: Dialect = {
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
}

/** A session of a connection. On a connection that only reads, SQLite refuses to write. */
export class SqliteSession implements CoreSession {
  readonly dialect = DIALECT
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

  *execute(sql: string): Operation<void> {
    this.#db.exec(sql)
  }

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
