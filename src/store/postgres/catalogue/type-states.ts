/** The states of object types and of the database, read from the catalogue. */
import { STATUS_MAX_TYPES } from '../../../contract/memory-limits.ts'
import type { DatabaseStatus, TypeName, TypeState } from '../../store-status.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import type { Database, Row } from '../driver/database.ts'
import { readRewriteStates } from '../rewrite/rewrite-state.ts'

const STATE_COLUMNS = 't.rid, o.live_count, t.published, t.oldest'
const STATES_FROM = 'FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id'

/** Returns the states of the types of an ontology. */
export async function readTypeStates(
  database: Database,
  ontologyRid: string,
): Promise<readonly TypeState[]> {
  const rows = await database.query(
    `SELECT ${STATE_COLUMNS} ${STATES_FROM} WHERE t.ontology_rid = ?`,
    [ontologyRid],
    { isPrepared: true },
  )
  return rows.map(toTypeState)
}

/** All tables of a type, those of earlier versions and of replacements included. */
const TYPE_BYTES = `(SELECT sum(pg_total_relation_size(to_regclass('oqs_object_' || s.id)))
  FROM oqs_object_table AS s WHERE s.object_type_id = t.id AND s.is_created)`

/** Returns the status of the database. Tables that are distributed have their bytes elsewhere. */
export async function readDatabaseStatus(
  database: Database,
  { isDistributed }: Pick<Capabilities, 'isDistributed'>,
): Promise<DatabaseStatus> {
  const bytes = isDistributed ? 'NULL::bigint' : TYPE_BYTES
  const types = await database.query(
    `SELECT t.rid, o.live_count, t.published, t.oldest, ${bytes} FROM (
       SELECT t.id FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
       ORDER BY o.live_count DESC, t.id LIMIT ${STATUS_MAX_TYPES}
     ) AS largest JOIN oqs_object_type AS t ON t.id = largest.id
     JOIN oqs_object_table AS o ON o.id = t.table_id ORDER BY t.id`,
  )
  const replacements = await database.query(
    `SELECT t.rid, o.id, o.live_count FROM oqs_object_table AS o
     JOIN oqs_object_type AS t ON t.id = o.object_type_id WHERE o.state = 'loading' ORDER BY o.id`,
  )
  const [row = []] = await database.query(
    `SELECT (SELECT count(*) FROM oqs_object_table WHERE state = 'abandoned'),
       pg_database_size(current_database())`,
  )
  const rewrites = await readRewriteStates(database)
  const rids = [...types, ...replacements].map(([typeRid]) => String(typeRid))
  const named = [...rids, ...rewrites.map(({ typeRid }) => typeRid)]
  return {
    kind: 'postgresql',
    storedBytes: isDistributed ? undefined : Number(row[1]),
    types: types.map((type) => ({
      ...toTypeState(type),
      storedBytes: isDistributed ? undefined : Number(type[4] ?? 0),
    })),
    replacements: replacements.map(([typeRid, id, count]) => ({
      typeRid: String(typeRid),
      replacement: String(id),
      count: Number(count),
    })),
    typeNames: await readTypeNames(database, named),
    rewrites,
    tablesToRemove: Number(row[0]),
  }
}

async function readTypeNames(
  database: Database,
  typeRids: readonly string[],
): Promise<ReadonlyMap<string, TypeName>> {
  const rows = await database.query(
    `SELECT t.rid, o.api_name, t.definition::json ->> 'apiName' FROM oqs_object_type AS t
     JOIN oqs_ontology AS o ON o.rid = t.ontology_rid WHERE t.rid = ANY(?::text[])`,
    [typeRids],
  )
  return new Map(
    rows.map(([rid, ontology, objectType]) => [
      String(rid),
      { ontology: String(ontology), objectType: String(objectType) },
    ]),
  )
}

function toTypeState([typeRid, count, version, oldestVersion]: Row): TypeState {
  return {
    typeRid: String(typeRid),
    count: Number(count),
    version: Number(version),
    oldestVersion: Number(oldestVersion),
  }
}
