/** A connection that only reads, with the state that its queries share. */
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../file/connection.ts'
import { MatchLists } from '../pages/match-lists.ts'
import { addAggregateFunctions } from '../queries/aggregate-functions.ts'
import { addOrderFunctions } from '../queries/aggregate-sums.ts'
import { type QueryConnection, toQueryConnection } from '../queries/query-connection.ts'

export interface ReadConnection extends QueryConnection {
  /** Used in reader processes only: quick pages need no list. */
  readonly lists: MatchLists
}

/** Makes a connection read-only; the writer thread has a connection of its own. */
export function toReadConnection(db: DatabaseSync): ReadConnection {
  addAggregateFunctions(db)
  addOrderFunctions(db)
  const connection = toQueryConnection(db)
  db.exec('PRAGMA query_only = ON')
  return { ...connection, lists: new MatchLists() }
}

/** Runs a function in a transaction that sees one moment, and then drops the rings and matchers it used. */
export function inReadTransaction<T>({ db, rings, matchers }: ReadConnection, run: () => T): T {
  try {
    return inTransaction(db, 'read', run)
  } finally {
    rings.clear()
    matchers.clear()
  }
}
