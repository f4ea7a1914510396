/** Runs operations on PostgreSQL: each statement is awaited. */

import { nextTurn } from '../../../admission/next-turn.ts'
import {
  awaited,
  type Columns,
  type CoreSession,
  type Dialect,
  type Memory,
  type Operation,
  type Parameter,
  type ReadSession,
  type RowOf,
  readRow,
  readRows,
  runAwaited,
  type Statement,
  type StatementOptions,
  type StoreLock,
} from '../../core/session/session.ts'
import { STORED_BYTES } from '../../sql/compile/record-sql.ts'
import type { Session, WriteSession } from './session.ts'

const TYPES = { text: 'text', integer: 'bigint' } as const

/** Increases whenever a token is revoked or deleted, or a policy changes. */
export const TOKEN_GENERATION_SQL = '(SELECT generation FROM oqs_token_generation)'

export const POSTGRES_DIALECT: Dialect = {
  lock: {
    change: ' FOR UPDATE',
    commit: ' FOR NO KEY UPDATE',
    load: ' FOR KEY SHARE',
    skipLocked: ' FOR UPDATE SKIP LOCKED',
  },
  isOneOf: (type) => `= ANY(?::${TYPES[type]}[])`,
  rows: (columns) => {
    const values = Object.entries(columns).map(
      ([name, type], at) => `(value ->> ${at})::${TYPES[type]} AS ${name}`,
    )
    return `(SELECT ${values.join(', ')} FROM json_array_elements(?::json))`
  },
  member: (json, name) => `${json}::json ->> '${name}'`,
  tokenGeneration: TOKEN_GENERATION_SQL,
  memberJson: (json) => `(${json}::json -> ?)::text`,
  storedBytes: STORED_BYTES,
  keyJson: 'key',
  noTitlePlace: '',
  deferredIndexes: `SELECT c.relname::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
    WHERE i.indrelid = to_regclass(?) AND NOT i.indisunique`,
}

/** Advisory locks: arbitrary numbers that nothing else uses. */
const LOCKS: Readonly<Record<StoreLock, number>> = { reclaim: 7_067_328_002 }

/** Reads through a transaction, or through the database without one. */
export class PostgresReader implements ReadSession {
  readonly dialect = POSTGRES_DIALECT
  readonly memory: Memory | undefined
  readonly #session: Pick<Session, 'query'>

  constructor(session: Pick<Session, 'query'>, memory?: Memory) {
    this.#session = session
    this.memory = memory
  }

  *query<Of extends Columns>(
    sql: string,
    parameters: readonly Parameter[],
    columns: Of,
    options?: StatementOptions,
  ): Operation<readonly RowOf<Of>[]> {
    return readRows(yield* awaited(this.#session.query(sql, parameters, options)), columns)
  }

  *find<Of extends Columns>(
    sql: string,
    parameters: readonly Parameter[],
    columns: Of,
    options?: StatementOptions,
  ): Operation<RowOf<Of> | undefined> {
    const [row] = yield* awaited(this.#session.query(sql, parameters, options))
    return row && readRow(row, columns)
  }

  pause(): Operation<void> {
    return awaited(nextTurn())
  }
}

class PostgresSession extends PostgresReader implements CoreSession {
  readonly #session: WriteSession

  constructor(session: WriteSession) {
    super(session)
    this.#session = session
  }

  *run(
    sql: string,
    parameters: readonly Parameter[],
    options?: StatementOptions,
  ): Operation<number> {
    return yield* awaited(this.#session.run(sql, parameters, options))
  }

  *runAll(statements: readonly Statement[]): Operation<void> {
    yield* awaited(this.#session.runAll(statements))
  }

  *execute(sql: string): Operation<void> {
    yield* awaited(this.#session.query(sql))
  }

  *extendTimeout(): Operation<void> {
    yield* awaited(this.#session.extendTimeout())
  }

  *tryLock(lock: StoreLock): Operation<boolean> {
    const sql = 'SELECT pg_try_advisory_xact_lock(?)'
    const [row] = yield* awaited(this.#session.query(sql, [LOCKS[lock]]))
    return row?.[0] === true
  }
}

/** Runs an operation within a transaction. */
export function runIn<Result>(
  session: WriteSession,
  operation: (session: CoreSession) => Operation<Result>,
): Promise<Result> {
  return runAwaited(operation(new PostgresSession(session)))
}

/** Runs an operation that reads, in a transaction or with a statement of its own each time. */
export function readIn<Result>(
  session: Pick<Session, 'query'>,
  operation: (session: ReadSession) => Operation<Result>,
  memory?: Memory,
): Promise<Result> {
  return runAwaited(operation(new PostgresReader(session, memory)))
}
