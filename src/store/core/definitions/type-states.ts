/** The states of object types and of the database, read from the catalogue. */
import { STATUS_MAX_TYPES } from '../../../contract/memory-limits.ts'
import type { DatabaseStatus, TypeName, TypeState } from '../../port/maintenance.ts'
import { integer, type Operation, optional, type ReadSession, text } from '../session/session.ts'
import { readRewriteStates } from '../tables/rewrite-records.ts'

const STATE = { typeRid: text, count: integer, version: integer, oldestVersion: integer } as const
const STATE_COLUMNS = 't.rid, o.live_count, t.published, t.oldest'
const STATES = `oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id`

/** Returns the states of the types of an ontology. */
export function readTypeStates(
  session: ReadSession,
  ontologyRid: string,
): Operation<readonly TypeState[]> {
  return session.query(
    `SELECT ${STATE_COLUMNS} FROM ${STATES} WHERE t.ontology_rid = ?`,
    [ontologyRid],
    STATE,
    { isPrepared: true },
  )
}

/** What a database says about its size. */
export interface SizeSql {
  readonly kind: DatabaseStatus['kind']
  /** The bytes of the database; NULL if they are not known. */
  readonly storedBytes: string
  /** The bytes of the tables of type `t`; NULL if they are not cheap to read. */
  readonly typeBytes: string
}

/** Returns the status of the database. */
export function* readDatabaseStatus(
  session: ReadSession,
  { kind, storedBytes, typeBytes }: SizeSql,
): Operation<DatabaseStatus> {
  const rewrites = yield* readRewriteStates(session)
  const types = yield* session.query(
    `SELECT ${STATE_COLUMNS}, ${typeBytes} FROM (
       SELECT t.id FROM ${STATES} ORDER BY o.live_count DESC, t.id LIMIT ${STATUS_MAX_TYPES}
     ) AS largest JOIN oqs_object_type AS t ON t.id = largest.id
     JOIN oqs_object_table AS o ON o.id = t.table_id ORDER BY t.id`,
    [],
    { ...STATE, storedBytes: optional(integer) },
  )
  const loading = yield* session.query(
    `SELECT t.rid, o.id, o.live_count FROM oqs_object_table AS o
     JOIN oqs_object_type AS t ON t.id = o.object_type_id WHERE o.state = 'loading' ORDER BY o.id`,
    [],
    { typeRid: text, id: integer, count: integer },
  )
  const replacements = loading.map(({ typeRid, id, count }) => ({
    typeRid,
    replacement: String(id),
    count,
  }))
  const totals = yield* session.find(
    `SELECT (SELECT count(*) FROM oqs_object_table WHERE state = 'abandoned'), ${storedBytes}`,
    [],
    { tablesToRemove: integer, storedBytes: optional(integer) },
  )
  return {
    kind,
    storedBytes: totals?.storedBytes,
    types,
    replacements,
    rewrites,
    typeNames: yield* readTypeNames(session, [...types, ...replacements, ...rewrites]),
    tablesToRemove: totals?.tablesToRemove ?? 0,
  }
}

function* readTypeNames(
  session: ReadSession,
  types: readonly Pick<TypeState, 'typeRid'>[],
): Operation<ReadonlyMap<string, TypeName>> {
  const { dialect } = session
  const rows = yield* session.query(
    `SELECT t.rid, o.api_name, ${dialect.member('t.definition', 'apiName')} FROM oqs_object_type AS t
     JOIN oqs_ontology AS o ON o.rid = t.ontology_rid WHERE t.rid ${dialect.isOneOf('text')}`,
    [types.map(({ typeRid }) => typeRid)],
    { rid: text, ontology: text, objectType: text },
  )
  return new Map(rows.map(({ rid, ontology, objectType }) => [rid, { ontology, objectType }]))
}
