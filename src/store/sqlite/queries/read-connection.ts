/** A connection that only reads, with the state that its queries share. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { KnownHeads } from '../catalogue/type-head.ts'
import { type QueryConnection, toQueryConnection } from './query-connection.ts'

export interface ReadConnection extends QueryConnection {
  readonly heads: KnownHeads
  /** Prepared, because their text would be parsed for every page. */
  readonly begin: StatementSync
  readonly commit: StatementSync
}

/** Makes a connection read-only; the writer thread has a connection of its own. */
export function toReadConnection(db: DatabaseSync): ReadConnection {
  const connection = toQueryConnection(db)
  db.exec('PRAGMA query_only = ON')
  return {
    ...connection,
    heads: new KnownHeads(connection.statements),
    begin: db.prepare('BEGIN'),
    commit: db.prepare('COMMIT'),
  }
}

/** Runs a function in a transaction that sees one moment, and then drops the tests it used. */
export function inReadTransaction<T>(connection: ReadConnection, run: () => T): T {
  const { db, begin, commit, tests } = connection
  begin.get()
  try {
    const result = run()
    commit.get()
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  } finally {
    if (tests.size > 0) tests.clear()
  }
}
