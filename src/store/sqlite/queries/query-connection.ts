/** A connection with the functions that the SQL of queries calls, and what these functions share. */
import type { DatabaseSync } from 'node:sqlite'
import { KnownFields } from '../catalogue/known-fields.ts'
import { StatementCache } from '../file/statement-cache.ts'
import { addMatcherFunction, Matchers } from './matchers.ts'
import { addRingFunction, Rings } from './rings.ts'

export interface QueryConnection {
  readonly db: DatabaseSync
  readonly statements: StatementCache
  readonly fields: KnownFields
  readonly rings: Rings
  readonly matchers: Matchers
}

export function toQueryConnection(db: DatabaseSync): QueryConnection {
  const rings = new Rings()
  const matchers = new Matchers()
  addRingFunction(db, rings)
  addMatcherFunction(db, matchers)
  const statements = new StatementCache(db)
  return { db, statements, fields: new KnownFields(statements), rings, matchers }
}
