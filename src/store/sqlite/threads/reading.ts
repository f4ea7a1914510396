import type { DatabaseSync } from 'node:sqlite'
import { StatementCache } from '../file/statement-cache.ts'
import { type MatchLists, makeMatchLists } from '../pages/match-lists.ts'
import { addAggregateFunctions } from '../queries/aggregate-functions.ts'

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
