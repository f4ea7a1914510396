/** A connection that only reads, with the state that its queries share. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { KnownHeads } from '../catalogue/known-heads.ts'
import { MatchLists } from '../pages/match-lists.ts'
import { addAggregateFunctions } from '../queries/aggregate-functions.ts'
import { addOrderFunctions } from '../queries/aggregate-sums.ts'
import { type QueryConnection, toQueryConnection } from '../queries/query-connection.ts'

export interface ReadConnection extends QueryConnection {
  /** Used in reader processes only: quick pages need no list. */
  readonly lists: MatchLists
  readonly heads: KnownHeads
  /** Prepared, because their text would be parsed for every page. */
  readonly begin: StatementSync
  readonly commit: StatementSync
}

/** Makes a connection read-only; the writer thread has a connection of its own. */
export function toReadConnection(db: DatabaseSync): ReadConnection {
  addAggregateFunctions(db)
  addOrderFunctions(db)
  const connection = toQueryConnection(db)
  db.exec('PRAGMA query_only = ON')
  const [begin, commit] = [db.prepare('BEGIN'), db.prepare('COMMIT')]
  const heads = new KnownHeads(connection.statements)
  return { ...connection, lists: new MatchLists(), heads, begin, commit }
}

/** Runs a function in a transaction that sees one moment, and then drops the rings and matchers it used. */
export function inReadTransaction<T>(connection: ReadConnection, run: () => T): T {
  const { db, begin, commit, rings, matchers } = connection
  begin.get()
  try {
    const result = run()
    commit.get()
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  } finally {
    rings.clear()
    matchers.clear()
  }
}
