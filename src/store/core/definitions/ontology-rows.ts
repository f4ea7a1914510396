/** The rows of the catalogue that describe an ontology: its definition, its size and its families. */
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import {
  countedBytes,
  type DefinitionUsage,
  refuseTakenTypes,
} from '../../sql/definition-limits.ts'
import {
  definitionOutOfSync,
  refuseTaken,
  type StoredType,
} from '../../sql/plan-definition-change.ts'
import { changeInProgress } from '../../sql/stored-change.ts'
import {
  type CoreSession,
  integer,
  json,
  type Operation,
  type ReadSession,
  text,
} from '../session/session.ts'
import type { TableBuilder } from '../tables/construction.ts'

/**
 * Locks the catalogue. Two nodes that save at the same time wait here for each other; the second one
 * is then refused, because its definition was checked against an older generation.
 */
export function* lockCatalogue(session: CoreSession, basedOn?: number): Operation<void> {
  const row = yield* session.find(
    `SELECT generation FROM oqs_catalogue ${session.dialect.lock.change}`,
    [],
    { generation: integer },
  )
  if (basedOn !== undefined && row?.generation !== basedOn) throw definitionOutOfSync()
}

/** Starts a new generation of the catalogue, which must be locked. */
export function* nextGeneration(session: CoreSession): Operation<number> {
  const row = yield* session.find(
    'UPDATE oqs_catalogue SET generation = generation + 1 RETURNING generation',
    [],
    { generation: integer },
  )
  if (row === undefined) throw new Error('the catalogue has no generation')
  return row.generation
}

export function* readDefinition(
  session: ReadSession,
  ontologyRid: string,
): Operation<OntologyDefinition | undefined> {
  const row = yield* session.find(
    'SELECT definition FROM oqs_ontology WHERE rid = ?',
    [ontologyRid],
    { definition: json<OntologyDefinition> },
  )
  return row?.definition
}

/** Saves a definition. A new ontology counts for the caller. */
export function* saveDefinition(
  session: CoreSession,
  definition: OntologyDefinition,
  generation: number,
  callerId: string,
): Operation<void> {
  const { rid = '', apiName, displayName = null, description = null, families = [] } = definition
  const encoded = JSON.stringify(definition)
  yield* session.run(
    `INSERT INTO oqs_ontology (rid, api_name, definition) VALUES (?, ?, ?)
     ON CONFLICT (rid) DO UPDATE SET api_name = excluded.api_name, definition = excluded.definition`,
    [rid, apiName, encoded],
  )
  yield* session.run(
    `INSERT INTO oqs_ontology_summary
       (ontology_rid, generation, bytes, created_by, display_name, description)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (ontology_rid) DO UPDATE SET generation = excluded.generation,
       bytes = excluded.bytes, display_name = excluded.display_name,
       description = excluded.description`,
    [rid, generation, countedBytes(encoded), callerId, displayName, description],
  )
  yield* session.run('DELETE FROM oqs_ontology_family WHERE ontology_rid = ?', [rid])
  const rows = families.map((family) => [family, rid])
  yield* session.run(
    `INSERT INTO oqs_ontology_family (family, ontology_rid)
     SELECT family, rid FROM ${session.dialect.rows({ family: 'text', rid: 'text' })} AS added`,
    [JSON.stringify(rows)],
  )
}

/** Returns what counts already against the limits of definitions. */
export function* readUsage(
  session: ReadSession,
  ontologyRid: string,
  callerId: string,
): Operation<DefinitionUsage> {
  const known = yield* session.find(
    'SELECT bytes, created_by FROM oqs_ontology_summary WHERE ontology_rid = ?',
    [ontologyRid],
    { bytes: integer, createdBy: text },
  )
  const { bytes: ofOntology, createdBy } = known ?? { bytes: 0, createdBy: callerId }
  const sums = yield* session.find(
    `SELECT coalesce(sum(bytes), 0), coalesce(sum(bytes) FILTER (WHERE created_by = ?), 0)
     FROM oqs_ontology_summary`,
    [createdBy],
    { total: integer, ofCreator: integer },
  )
  return { total: 0, ofCreator: 0, ...sums, ofOntology, createdBy }
}

/** Throws if an object type has a RID that belongs to a type of another ontology. */
export function* refuseTypesOfOthers(
  session: ReadSession,
  { rid = '', objectTypes }: OntologyDefinition,
): Operation<void> {
  const taken = yield* session.query(
    `SELECT rid FROM oqs_object_type WHERE rid ${session.dialect.isOneOf('text')} AND ontology_rid <> ?`,
    [objectTypes.map((type) => type.rid ?? ''), rid],
    { rid: text },
  )
  refuseTakenTypes(objectTypes, new Set(taken.map((type) => type.rid)))
}

/** Throws if another ontology has taken the name, or a family, since a change was planned. */
export function* refuseTakenNames(
  session: ReadSession,
  { rid = '', apiName, families = [] }: OntologyDefinition,
): Operation<void> {
  const names = yield* session.query(
    'SELECT api_name FROM oqs_ontology WHERE api_name = ? AND rid <> ?',
    [apiName, rid],
    { apiName: text },
  )
  const taken = yield* session.query(
    `SELECT family FROM oqs_ontology_family
     WHERE family ${session.dialect.isOneOf('text')} AND ontology_rid <> ?`,
    [families, rid],
    { family: text },
  )
  refuseTaken(
    names[0]?.apiName,
    taken.map(({ family }) => family),
  )
}

/** Throws if the definition of an ontology is being changed. */
export function* refuseWhileChanging(session: ReadSession, ontologyRid: string): Operation<void> {
  const change = yield* session.find(
    `SELECT o.api_name, c.id FROM oqs_definition_change AS c
     JOIN oqs_ontology AS o ON o.rid = c.ontology_rid
     WHERE c.ontology_rid = ? AND c.state = 'running'`,
    [ontologyRid],
    { apiName: text, id: text },
  )
  if (change !== undefined) throw changeInProgress(change.apiName, change.id)
}

/** Locks all types of an ontology, so that no objects of them are written meanwhile. */
export function* lockTypes(
  builder: TableBuilder,
  ontologyRid: string,
): Operation<readonly StoredType[]> {
  const { session } = builder
  const ids = yield* session.query(
    `SELECT id FROM oqs_object_type WHERE ontology_rid = ? ORDER BY id ${session.dialect.lock.change}`,
    [ontologyRid],
    { id: integer },
  )
  for (const { id } of ids) yield* builder.refuseUnfinished(id)
  // After the locks: no commit changes the counts any more.
  return yield* session.query(
    `SELECT t.id, t.rid, t.definition, o.live_count, (
       SELECT coalesce(sum(live_count), 0) FROM oqs_object_table
       WHERE object_type_id = t.id AND state = 'loading'
     ) FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
     WHERE t.ontology_rid = ? ORDER BY t.id`,
    [ontologyRid],
    { id: integer, rid: text, definition: text, objects: integer, loading: integer },
  )
}
