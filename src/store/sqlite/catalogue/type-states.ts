/** The states of object types and of the database, read from the catalogue. */
import { STATUS_MAX_TYPES } from '../../../contract/memory-limits.ts'
import type { DatabaseStatus, ReplacementState, TypeName, TypeState } from '../../store-status.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { readRewrites } from '../rewrite/rewrite-states.ts'

const STATES_SQL = `SELECT t.rid, o.live_count, t.published, t.oldest
  FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id`

/**
 * The types with the most objects. Those without a table are empty, and there can be many more of
 * them than of others, so they are not sorted.
 */
const LARGEST_SQL = `SELECT rid, live_count, published, oldest FROM (
    SELECT * FROM (${statesOf('o.is_created = 1')} ORDER BY o.live_count DESC, t.id)
    UNION ALL SELECT * FROM (${statesOf('o.is_created = 0')}) LIMIT ${STATUS_MAX_TYPES}
  ) ORDER BY id`

function statesOf(condition: string): string {
  return `SELECT t.rid, o.live_count, t.published, t.oldest, t.id FROM oqs_object_table AS o
    CROSS JOIN oqs_object_type AS t ON t.id = o.object_type_id AND t.table_id = o.id WHERE ${condition}`
}

/** Returns the states of the types of an ontology. */
export function readTypeStates(statements: StatementCache, ontologyRid: string): TypeState[] {
  const rows = statements.prepare(`${STATES_SQL} WHERE t.ontology_rid = ?`).all(ontologyRid)
  return (rows as unknown as StateRow[]).map(toTypeState)
}

/** Returns the status of the database. Must be called in a transaction. */
export function readDatabaseStatus(statements: StatementCache): DatabaseStatus {
  const rows = statements.prepare(LARGEST_SQL).all() as unknown as StateRow[]
  // SQLite would have to visit every page of the file to count the bytes of one table.
  const types = rows.map((row) => ({ ...toTypeState(row), storedBytes: undefined }))
  const replacements = readReplacements(statements)
  const rewrites = readRewrites(statements)
  const [pages = 0] = readRow(statements, 'PRAGMA page_count')
  const [pageBytes = 0] = readRow(statements, 'PRAGMA page_size')
  const [tablesToRemove = 0] = readRow(
    statements,
    `SELECT count(*) FROM oqs_object_table WHERE state = 'abandoned'`,
  )
  return {
    kind: 'sqlite',
    storedBytes: pages * pageBytes,
    types,
    typeNames: readTypeNames(statements, [...types, ...replacements, ...rewrites]),
    replacements,
    rewrites,
    tablesToRemove,
  }
}

function readTypeNames(
  statements: StatementCache,
  types: readonly Pick<TypeState, 'typeRid'>[],
): ReadonlyMap<string, TypeName> {
  const rows = statements
    .prepare(
      `SELECT t.rid, o.api_name, t.definition ->> 'apiName' FROM oqs_object_type AS t
       JOIN oqs_ontology AS o ON o.rid = t.ontology_rid
       WHERE t.rid IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(types.map(({ typeRid }) => typeRid)))
  const names = rows as unknown as readonly (readonly [string, string, string])[]
  return new Map(names.map(([rid, ontology, objectType]) => [rid, { ontology, objectType }]))
}

type StateRow = readonly [rid: string, count: number, published: number, oldest: number]

function toTypeState([typeRid, count, version, oldestVersion]: StateRow): TypeState {
  return { typeRid, count, version, oldestVersion }
}

function readReplacements(statements: StatementCache): ReplacementState[] {
  const rows = statements
    .prepare(
      `SELECT t.rid, o.id, o.live_count FROM oqs_object_table AS o
       JOIN oqs_object_type AS t ON t.id = o.object_type_id WHERE o.state = 'loading' ORDER BY o.id`,
    )
    .all() as unknown as (readonly [rid: string, id: number, count: number])[]
  return rows.map(([typeRid, id, count]) => ({ typeRid, replacement: String(id), count }))
}

function readRow(statements: StatementCache, sql: string): readonly number[] {
  return statements.prepare(sql).get() as unknown as readonly number[]
}
