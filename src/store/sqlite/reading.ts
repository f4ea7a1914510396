import type { DatabaseSync } from 'node:sqlite'
import { addAggregateFunctions } from './aggregate-functions.ts'
import { StatementCache } from './statement-cache.ts'

/** A connection that reads, and the statements that are prepared on it. */
export interface Reading {
  readonly db: DatabaseSync
  readonly statements: StatementCache
}

/** From here on the connection only reads; whatever writes goes through the writer thread. */
export function readOn(db: DatabaseSync): Reading {
  addAggregateFunctions(db)
  db.exec('PRAGMA query_only = ON')
  return { db, statements: new StatementCache(db) }
}
