/** A connection that only reads, with the state that its queries share. */
import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { TypeConverter } from '../../sql/stored-change.ts'
import { KnownHeads } from '../catalogue/known-heads.ts'
import { runTransaction, type TransactionSteps } from '../file/connection.ts'
import { SqliteSession } from '../file/sqlite-session.ts'
import { addAggregateFunctions } from './aggregate-functions.ts'
import { addOrderFunctions } from './aggregate-sums.ts'
import { MatchLists } from './match-lists.ts'
import { type QueryConnection, toQueryConnection } from './query-connection.ts'

export interface ReadConnection extends QueryConnection {
  /** Used in reader processes only: quick pages need no list. */
  readonly lists: MatchLists
  readonly heads: KnownHeads
  /** Reads what both stores read in the same way. */
  readonly session: SqliteSession
  /** How a change that is tried converts objects, by change and type. Used in reader processes only. */
  readonly converters: LRUCache<string, TypeConverter>
  /** Prepared, because their text would be parsed for every page. */
  readonly transaction: TransactionSteps
}

/** Makes a connection read-only; the writer thread has a connection of its own. */
export function toReadConnection(db: DatabaseSync): ReadConnection {
  addAggregateFunctions(db)
  addOrderFunctions(db)
  const connection = toQueryConnection(db)
  db.exec('PRAGMA query_only = ON')
  const [begin, commit] = [db.prepare('BEGIN'), db.prepare('COMMIT')]
  return {
    ...connection,
    lists: new MatchLists(),
    heads: new KnownHeads(connection.statements),
    session: new SqliteSession(db, connection.statements),
    converters: new LRUCache({ max: 4 }),
    transaction: { begin: () => void begin.get(), commit: () => void commit.get() },
  }
}

/** Runs a function in a transaction that sees one moment, and then drops the matchers it used. */
export function inReadTransaction<T>(connection: ReadConnection, run: () => T): T {
  const { db, transaction, matchers } = connection
  try {
    return runTransaction(db, transaction, run)
  } finally {
    matchers.clear()
  }
}
