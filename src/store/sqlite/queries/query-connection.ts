/** A connection with the functions that the SQL of queries calls, and what these functions share. */
import type { DatabaseSync } from 'node:sqlite'
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import { scalarCodec } from '../../../ontology/values/scalar-codec.ts'
import { KnownFields } from '../catalogue/known-fields.ts'
import { SqliteSession, StatementCache } from '../file/sqlite-session.ts'
import { addTestFunction, RowTests } from './row-tests.ts'

export interface QueryConnection {
  readonly db: DatabaseSync
  readonly statements: StatementCache
  /** Runs the operations that both stores share. */
  readonly session: SqliteSession
  readonly fields: KnownFields
  readonly tests: RowTests
}

export function toQueryConnection(db: DatabaseSync): QueryConnection {
  const tests = new RowTests()
  addTestFunction(db, tests)
  addLeafFunction(db)
  const statements = new StatementCache(db)
  const session = new SqliteSession(db, statements)
  return { db, statements, session, fields: new KnownFields(session), tests }
}

/** Adds `leaf_value(JSON, type)`: the column value of a struct field that has no column. */
function addLeafFunction(db: DatabaseSync): void {
  const options = { deterministic: true, directOnly: true }
  db.function('leaf_value', options, (json, type) => {
    if (json === null) return null
    const { parse, column } = scalarCodec(type as ScalarType)
    return column?.encode(parse(JSON.parse(json as string))) ?? null
  })
}
