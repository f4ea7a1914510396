/** Connections that only read. */
import type { DatabaseSync } from 'node:sqlite'
import { StatementCache } from '../file/statement-cache.ts'
import { type MatchLists, makeMatchLists } from '../pages/match-lists.ts'
import { addAggregateFunctions } from '../queries/aggregate-functions.ts'

/** A read-only connection, its prepared statements, and the match lists of its walks. */
export interface Reading {
  readonly db: DatabaseSync
  readonly statements: StatementCache
  /** Used in reader processes only: quick pages build no list. */
  readonly lists: MatchLists
}

/** Makes a connection read-only. All writes go through the writer thread. */
export function readOn(db: DatabaseSync): Reading {
  addAggregateFunctions(db)
  db.exec('PRAGMA query_only = ON')
  return { db, statements: new StatementCache(db), lists: makeMatchLists() }
}
