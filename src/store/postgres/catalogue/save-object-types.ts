/** Saves the object types of an ontology and their tables, within a transaction. */
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
import type { RewrittenType } from '../../sql/rewrite-objects.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import type { WriteSession } from '../driver/database.ts'
import { type PreparedCopies, publishRedefined, rewriteTypes } from '../writes/rewrite-type.ts'
import { numberFields, readFieldColumns } from './field-columns.ts'
import {
  abandonTables,
  addColumns,
  addObjectTable,
  refuseTooManyColumns,
  tablesOfDefinition,
} from './object-table.ts'
import { rewriteTitles } from './rewrite-titles.ts'

export interface SavedTypes {
  readonly change: PlannedChange
  readonly stored: readonly StoredType[]
  /** The earlier definition of the ontology. */
  readonly before: OntologyDefinition | undefined
  readonly generation: number
  /** Types whose objects are converted already. */
  readonly copies: ReadonlyMap<number, PreparedCopies>
}

export async function saveObjectTypes(
  session: WriteSession,
  capabilities: Capabilities,
  { change, stored, before, generation, copies }: SavedTypes,
): Promise<void> {
  const { definition, isDryRun = false } = change
  const { rid: ontologyRid, objectTypes } = parseDefinition(definition)
  const rewrites: RewrittenType[] = []
  for (const step of planTypes(stored, change)) {
    if (step.kind === 'drop') {
      await dropObjectType(session, step.id)
      continue
    }
    const { apiName } = step.definition
    const type = objectTypes.get(apiName)
    if (type === undefined) throw new Error(`no object type ${apiName}`)
    if (step.kind === 'add') {
      const id = await addObjectType(session, ontologyRid, step.definition, generation)
      await addTable(session, id, type)
      continue
    }
    await updateObjectType(session, step, generation)
    if (!isDryRun && step.kind === 'update' && step.hasNewTitle) await changeTitles(session, step)
    const prepared = copies.get(step.id)
    if (prepared !== undefined) await publishRedefined(session, prepared, generation)
    else if (step.kind === 'recreate') await recreateTable(session, step.id, type, generation)
    else if (step.kind === 'update') await addFields(session, step.id, type)
    else rewrites.push({ ...step, type, before: earlierTypeOf(before, type), generation })
  }
  await rewriteTypes(session, capabilities, rewrites, isDryRun)
}

function earlierTypeOf(before: OntologyDefinition | undefined, { rid }: ObjectType): ObjectType {
  const types = before === undefined ? [] : [...parseDefinition(before).objectTypes.values()]
  const type = types.find((one) => one.rid === rid)
  if (type === undefined) throw new Error(`no earlier definition of ${rid}`)
  return type
}

async function addObjectType(
  session: WriteSession,
  ontologyRid: string,
  type: ObjectTypeDefinition,
  generation: number,
): Promise<number> {
  const rid = type.rid ?? ''
  const [row] = await session.query(
    `INSERT INTO oqs_object_type
       (rid, ontology_rid, definition, generation, published, last_version, oldest)
     SELECT ?, ?, ?, ?::bigint, version, version, version FROM (
       SELECT coalesce((
         SELECT last_version + 1 FROM oqs_dropped_object_type WHERE rid = ?
       ), 0) AS version
     ) AS first RETURNING id`,
    [rid, ontologyRid, JSON.stringify(type), generation, rid],
  )
  return Number(row?.[0])
}

async function updateObjectType(
  session: WriteSession,
  step: Exclude<TypeStep, { readonly kind: 'add' | 'drop' }>,
  generation: number,
): Promise<void> {
  const { id, definition } = step
  if (step.kind === 'update' && !step.isChanged) return
  await session.run('UPDATE oqs_object_type SET definition = ?, generation = ? WHERE id = ?', [
    JSON.stringify(definition),
    generation,
    id,
  ])
}

async function changeTitles(
  session: WriteSession,
  { id, definition }: Extract<TypeStep, { readonly kind: 'update' }>,
): Promise<void> {
  for (const table of await tablesOfDefinition(session, id)) {
    await rewriteTitles(session, table.id, definition.titleProperty)
  }
}

export async function dropObjectType(session: WriteSession, id: number): Promise<void> {
  await abandonTables(session, id)
  await session.run(
    `INSERT INTO oqs_dropped_object_type (rid, last_version)
     SELECT rid, last_version FROM oqs_object_type WHERE id = ?
     ON CONFLICT (rid) DO UPDATE SET last_version = excluded.last_version`,
    [id],
  )
  await session.run(
    `DELETE FROM oqs_table_field
     WHERE table_id IN (SELECT id FROM oqs_object_table WHERE object_type_id = ?)`,
    [id],
  )
  await session.run('DELETE FROM oqs_object_type WHERE id = ?', [id])
}

/** Adds the table that holds the versions of a type from now on. */
async function addTable(
  session: WriteSession,
  typeId: number,
  objectType: ObjectType,
): Promise<void> {
  refuseTooManyColumns(objectType, await numberFields(session, typeId, objectType))
  const [row] = await session.query('SELECT published FROM oqs_object_type WHERE id = ?', [typeId])
  const version = Number(row?.[0])
  const table = await addObjectTable(session, {
    typeId,
    state: 'published',
    firstVersion: version,
    loadedAs: version,
  })
  await session.run('UPDATE oqs_object_type SET table_id = ? WHERE id = ?', [table, typeId])
}

/** An empty type may change in any way, but its earlier versions can no longer be read. */
async function recreateTable(
  session: WriteSession,
  typeId: number,
  objectType: ObjectType,
  generation: number,
): Promise<void> {
  await abandonTables(session, typeId)
  await session.run('DELETE FROM oqs_object_field WHERE object_type_id = ?', [typeId])
  await session.run(
    `UPDATE oqs_object_type
     SET published = last_version + 1, oldest = last_version + 1, last_version = last_version + 1,
       redefined_generation = ?
     WHERE id = ?`,
    [generation, typeId],
  )
  await addTable(session, typeId, objectType)
}

async function addFields(
  session: WriteSession,
  typeId: number,
  objectType: ObjectType,
): Promise<void> {
  const added = await numberFields(session, typeId, objectType)
  if (added.length > 0) refuseTooManyColumns(objectType, await readFieldColumns(session, typeId))
  await addColumns(session, typeId, added)
}
