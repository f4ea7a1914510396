/** A connection with the functions that the SQL of queries calls, and what these functions share. */
import type { DatabaseSync } from 'node:sqlite'
import { KnownFields } from '../catalogue/known-fields.ts'
import { SqliteSession, StatementCache } from '../file/sqlite-session.ts'
import { addTestFunction, RowTests } from './row-tests.ts'

export interface QueryConnection {
  readonly db: DatabaseSync
  readonly statements: StatementCache
  /** Runs the operations that both stores share. */
  readonly session: SqliteSession
  readonly fields: KnownFields
  readonly tests: RowTests
}

export function toQueryConnection(db: DatabaseSync): QueryConnection {
  const tests = new RowTests()
  addTestFunction(db, tests)
  const statements = new StatementCache(db)
  const session = new SqliteSession(db, statements)
  return { db, statements, session, fields: new KnownFields(session), tests }
}
