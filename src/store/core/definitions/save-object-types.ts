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
} from '../../sql/plan-types.ts'
import { deleteFields } from '../catalogue/fields.ts'
import { abandonTables, addObjectTable, tablesOfDefinition } from '../catalogue/object-tables.ts'
import { integer } from '../session/columns.ts'
import type { Operation } from '../session/operation.ts'
import type { CoreSession } from '../session/session.ts'
import type { RewrittenType } from '../tables/redefine-types.ts'
import { rewriteTitles } from './rewrite-titles.ts'

/** What saving types does to their fields and objects, which depends on the database. */
export interface TypeTables {
  /** Numbers the fields of a type that has no table yet. */
  numberFields(typeId: number, type: ObjectType): Operation<void>
  /** Numbers new fields, and adds them to the existing tables of their type. */
  addFields(typeId: number, type: ObjectType): Operation<void>
  /** Converts the objects of types, or throws with the first ones that do not fit. */
  rewriteTypes(types: readonly RewrittenType[], isDryRun: boolean): Operation<void>
}

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
  session: CoreSession,
  tables: TypeTables,
  { change, stored, before, generation, copies }: SavedTypes,
): Operation<void> {
  const { definition, isDryRun = false } = change
  const { rid: ontologyRid, objectTypes } = parseDefinition(definition)
  const rewrites: RewrittenType[] = []
  for (const step of planTypes(stored, change)) {
    if (step.kind === 'drop') {
      yield* dropObjectType(session, step.id)
      continue
    }
    const type = objectTypes.get(step.definition.apiName)
    if (type === undefined) throw new Error(`no object type ${step.definition.apiName}`)
    if (step.kind === 'add') {
      const id = yield* addObjectType(session, ontologyRid, step.definition, generation)
      yield* addTable(session, tables, id, type)
      continue
    }
    yield* updateObjectType(session, step, generation)
    if (!isDryRun && step.kind === 'update' && step.hasNewTitle) yield* changeTitles(session, step)
    const publishCopies = copies.get(step.id)
    if (publishCopies !== undefined) yield* publishCopies(generation)
    else if (step.kind === 'recreate')
      yield* recreateTable(session, tables, step.id, type, generation)
    else if (step.kind === 'update') yield* tables.addFields(step.id, type)
    else rewrites.push({ ...step, type, before: earlierTypeOf(before, type), generation })
  }
  yield* tables.rewriteTypes(rewrites, isDryRun)
}

function earlierTypeOf(before: OntologyDefinition | undefined, { rid }: ObjectType): ObjectType {
  const types = before === undefined ? [] : [...parseDefinition(before).objectTypes.values()]
  const type = types.find((one) => one.rid === rid)
  if (type === undefined) throw new Error(`no earlier definition of ${rid}`)
  return type
}

/** Adds a type. One with the RID of a dropped type continues its versions. */
function* addObjectType(
  session: CoreSession,
  ontologyRid: string,
  type: ObjectTypeDefinition,
  generation: number,
): Operation<number> {
  const rid = type.rid ?? ''
  const dropped = yield* session.find(
    'SELECT last_version + 1 FROM oqs_dropped_object_type WHERE rid = ?',
    [rid],
    { version: integer },
  )
  const version = dropped?.version ?? 0
  const row = yield* session.find(
    `INSERT INTO oqs_object_type
       (rid, ontology_rid, definition, generation, published, last_version, oldest)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    [rid, ontologyRid, JSON.stringify(type), generation, version, version, version],
    { id: integer },
  )
  if (row === undefined) throw new Error('the object type has no number')
  return row.id
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

/** Drops a type. What belongs to it in the catalogue is deleted with its row. */
export function* dropObjectType(session: CoreSession, id: number): Operation<void> {
  yield* abandonTables(session, id)
  yield* session.run(
    `INSERT INTO oqs_dropped_object_type (rid, last_version)
     SELECT rid, last_version FROM oqs_object_type WHERE id = ?
     ON CONFLICT (rid) DO UPDATE SET last_version = excluded.last_version`,
    [id],
  )
  yield* session.run('DELETE FROM oqs_object_type WHERE id = ?', [id])
}

/** Adds the table that holds the versions of a type from now on. */
function* addTable(
  session: CoreSession,
  tables: TypeTables,
  typeId: number,
  type: ObjectType,
): Operation<void> {
  yield* tables.numberFields(typeId, type)
  const row = yield* session.find('SELECT published FROM oqs_object_type WHERE id = ?', [typeId], {
    published: integer,
  })
  const version = row?.published ?? 0
  const table = yield* addObjectTable(session, {
    typeId,
    state: 'published',
    firstVersion: version,
    loadedAs: version,
  })
  yield* session.run('UPDATE oqs_object_type SET table_id = ? WHERE id = ?', [table, typeId])
}

/** An empty type may change in any way, but its earlier versions can no longer be read. */
function* recreateTable(
  session: CoreSession,
  tables: TypeTables,
  typeId: number,
  type: ObjectType,
  generation: number,
): Operation<void> {
  yield* abandonTables(session, typeId)
  // Its copies are abandoned as well.
  yield* session.run('DELETE FROM oqs_rewrite WHERE object_type_id = ?', [typeId])
  yield* deleteFields(session, typeId)
  yield* session.run(
    `UPDATE oqs_object_type
     SET published = last_version + 1, oldest = last_version + 1, last_version = last_version + 1,
       redefined_generation = ?
     WHERE id = ?`,
    [generation, typeId],
  )
  yield* addTable(session, tables, typeId, type)
}
