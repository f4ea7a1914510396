/** Saves the object types of an ontology and their tables. */
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import {
  type PlannedChange,
  planTypes,
  type StoredType,
  type TypeStep,
} from '../../sql/plan-definition-change.ts'
import { addFields, tablesOfDefinition } from '../catalogue/build-table.ts'
import { type FieldOwner, numberFields } from '../catalogue/fields.ts'
import { abandonTables, objectTable } from '../catalogue/object-tables.ts'
import { type CoreSession, integer, type Operation, text } from '../session/session.ts'
import type { TableBuilder } from '../tables/construction.ts'
import { type RewrittenType, recreateTable, redefineTypes } from '../tables/redefine-types.ts'

export interface SavedTypes {
  readonly change: PlannedChange
  readonly stored: readonly StoredType[]
  /** The earlier definition of the ontology. */
  readonly before: OntologyDefinition | undefined
  readonly generation: number
  /** By type: publishes its objects, which are converted already, with a generation. */
  readonly copies: ReadonlyMap<number, (generation: number) => Operation<void>>
}

export function* saveObjectTypes(
  builder: TableBuilder,
  { change, stored, before, generation, copies }: SavedTypes,
): Operation<void> {
  const { session } = builder
  const { definition, isDryRun = false } = change
  const { rid: ontologyRid, objectTypes } = parseDefinition(definition)
  const steps = planTypes(stored, change)
  const typeOf = ({ apiName }: ObjectTypeDefinition) => {
    const type = objectTypes.get(apiName)
    if (type === undefined) throw new Error(`no object type ${apiName}`)
    return type
  }
  const added = steps.flatMap((step) => (step.kind === 'add' ? [step.definition] : []))
  yield* addObjectTypes(builder, { ontologyRid, added, typeOf, generation })
  const rewrites: RewrittenType[] = []
  for (const step of steps) {
    if (step.kind === 'add' || step.kind === 'drop') continue
    const type = typeOf(step.definition)
    yield* updateObjectType(session, step, generation)
    if (!isDryRun && step.kind === 'update' && step.hasNewTitle) yield* changeTitles(session, step)
    const publishCopies = copies.get(step.id)
    if (publishCopies !== undefined) yield* publishCopies(generation)
    else if (step.kind === 'recreate') yield* recreateTable(builder, step.id, type, generation)
    else if (step.kind === 'rewrite')
      rewrites.push({ ...step, type, before: earlierTypeOf(before, type), generation })
    else if (step.isChanged) yield* addFields(builder, { typeId: step.id, type, ...change })
  }
  yield* dropObjectTypes(
    session,
    steps.flatMap((step) => (step.kind === 'drop' ? [step.id] : [])),
  )
  yield* redefineTypes(builder, rewrites, isDryRun)
}

function earlierTypeOf(before: OntologyDefinition | undefined, { rid }: ObjectType): ObjectType {
  const types = before === undefined ? [] : [...parseDefinition(before).objectTypes.values()]
  const type = types.find((one) => one.rid === rid)
  if (type === undefined) throw new Error(`no earlier definition of ${rid}`)
  return type
}

interface AddedTypes {
  readonly ontologyRid: string
  readonly added: readonly ObjectTypeDefinition[]
  readonly typeOf: (definition: ObjectTypeDefinition) => ObjectType
  readonly generation: number
}

/**
 * Adds types, all of them with a few statements: an ontology can have a thousand. One with the RID of
 * a dropped type continues its versions.
 */
function* addObjectTypes(
  builder: TableBuilder,
  { ontologyRid, added, typeOf, generation }: AddedTypes,
): Operation<void> {
  const { session } = builder
  if (added.length === 0) return
  const { dialect } = session
  const rows = added.map((definition) => [definition.rid, JSON.stringify(definition)])
  const types = yield* session.query(
    `INSERT INTO oqs_object_type
       (rid, ontology_rid, definition, generation, published, last_version, oldest)
     SELECT rid, ontology_rid, definition, generation, version, version, version FROM (
       SELECT added.rid, CAST(? AS text) AS ontology_rid, definition,
         CAST(? AS bigint) AS generation, coalesce(dropped.last_version + 1, 0) AS version
       FROM ${dialect.rows({ rid: 'text', definition: 'text' })} AS added
       LEFT JOIN oqs_dropped_object_type AS dropped ON dropped.rid = added.rid
     ) AS versioned RETURNING id, rid`,
    [ontologyRid, generation, JSON.stringify(rows)],
    { id: integer, rid: text },
  )
  const ids = new Map(types.map(({ id, rid }) => [rid, id]))
  const owners = added.map((definition) => ({
    typeId: ids.get(definition.rid ?? '') ?? 0,
    type: typeOf(definition),
  }))
  yield* addTables(builder, owners)
}

function* updateObjectType(
  session: CoreSession,
  step: Exclude<TypeStep, { readonly kind: 'add' | 'drop' }>,
  generation: number,
): Operation<void> {
  const { id, definition } = step
  if (step.kind === 'update' && !step.isChanged) return
  yield* session.run('UPDATE oqs_object_type SET definition = ?, generation = ? WHERE id = ?', [
    JSON.stringify(definition),
    generation,
    id,
  ])
}

function* changeTitles(
  session: CoreSession,
  { id, definition }: Extract<TypeStep, { readonly kind: 'update' }>,
): Operation<void> {
  for (const table of yield* tablesOfDefinition(session, id)) {
    yield* rewriteTitles(session, table.id, definition.titleProperty)
  }
}

/** Drops types. What belongs to them in the catalogue is deleted with their rows. */
export function* dropObjectTypes(session: CoreSession, ids: readonly number[]): Operation<void> {
  if (ids.length === 0) return
  const isDropped = `id ${session.dialect.isOneOf('integer')}`
  yield* abandonTables(session, ids)
  yield* session.run(
    `INSERT INTO oqs_dropped_object_type (rid, last_version)
     SELECT rid, last_version FROM oqs_object_type WHERE ${isDropped}
     ON CONFLICT (rid) DO UPDATE SET last_version = excluded.last_version`,
    [ids],
  )
  yield* session.run(`DELETE FROM oqs_object_type WHERE ${isDropped}`, [ids])
}

/** Adds the tables of new types. */
function* addTables(builder: TableBuilder, owners: readonly FieldOwner[]): Operation<void> {
  const { session } = builder
  yield* numberFields(session, builder.tables, owners)
  const ids = owners.map(({ typeId }) => typeId)
  const isAdded = `id ${session.dialect.isOneOf('integer')}`
  yield* session.run(
    `INSERT INTO oqs_object_table (object_type_id, state, first_version, loaded_as)
     SELECT id, 'published', published, published FROM oqs_object_type
     WHERE ${isAdded} ORDER BY id`,
    [ids],
  )
  yield* session.run(
    `UPDATE oqs_object_type SET table_id = (
       SELECT max(o.id) FROM oqs_object_table AS o WHERE o.object_type_id = oqs_object_type.id
     ) WHERE ${isAdded}`,
    [ids],
  )
}

/** Rewrites the titles of a table, which are stored beside the body, for a new title property. */
function* rewriteTitles(
  session: CoreSession,
  id: number,
  property: string | undefined,
): Operation<void> {
  const table = objectTable(id)
  const { noTitlePlace } = session.dialect
  if (property === undefined) {
    yield* session.run(`UPDATE ${table} SET title = NULL${noTitlePlace}`, [])
    return
  }
  // The JSON text of the value; numbers get quotes.
  yield* session.run(
    `UPDATE ${table} SET title = (
       SELECT CASE WHEN value LIKE '"%' THEN value ELSE '"' || value || '"' END
       FROM (SELECT ${session.dialect.memberJson('body')} AS value) AS titled
     )${noTitlePlace}`,
    [property],
  )
  const row = yield* session.find(
    `SELECT coalesce(max(${session.dialect.storedBytes}), 0) FROM ${table} AS o`,
    [],
    { maxRecordBytes: integer },
  )
  yield* session.run('UPDATE oqs_object_table SET max_record_bytes = ? WHERE id = ?', [
    row?.maxRecordBytes ?? 0,
    id,
  ])
}
