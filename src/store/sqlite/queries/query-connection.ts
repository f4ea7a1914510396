/** A connection with the functions that the SQL of queries calls, and what these functions share. */
import type { DatabaseSync } from 'node:sqlite'
import { KnownFields } from '../catalogue/known-fields.ts'
import { SqliteSession, StatementCache } from '../file/sqlite-session.ts'
import { addMatcherFunction, Matchers } from './matchers.ts'

export interface QueryConnection {
  readonly db: DatabaseSync
  readonly statements: StatementCache
  /** Runs the operations that both stores share. */
  readonly session: SqliteSession
  readonly fields: KnownFields
  readonly matchers: Matchers
}

export function toQueryConnection(db: DatabaseSync): QueryConnection {
  const matchers = new Matchers()
  addMatcherFunction(db, matchers)
  const statements = new StatementCache(db)
  const session = new SqliteSession(db, statements)
  return { db, statements, session, fields: new KnownFields(session), matchers }
}
