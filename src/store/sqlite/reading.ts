import type { DatabaseSync } from 'node:sqlite'
import { addAggregateFunctions } from './aggregate-functions.ts'
import { type MatchLists, makeMatchLists } from './match-lists.ts'
import { StatementCache } from './statement-cache.ts'

/** A connection that reads, the statements that are prepared on it, and what they found. */
export interface Reading {
  readonly db: DatabaseSync
  readonly statements: StatementCache
  /** Filled in reader processes only: quick pages build no list. */
  readonly lists: MatchLists
}

/** From here on the connection only reads; whatever writes goes through the writer thread. */
export function readOn(db: DatabaseSync): Reading {
  addAggregateFunctions(db)
  db.exec('PRAGMA query_only = ON')
  return { db, statements: new StatementCache(db), lists: makeMatchLists() }
}
