/** Saves an ontology: its definition, its object types and their tables, in one transaction. */
import type { AuditRecord } from '../../../contract/audit-record.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { OntologyDeletion } from '../../object-store.ts'
import {
  definitionOutOfSync,
  planTypes,
  refuseDeletion,
  type StoredType,
  type TypeStep,
} from '../../sql/plan-types.ts'
import type { RewrittenType } from '../../sql/rewrite-objects.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import { type PostgresContext, refuseUnfinished, writeInTurn } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { rewriteTypes } from '../writes/rewrite-type.ts'
import { addAuditRecords } from './audit-records.ts'
import { numberFields, readFieldColumns } from './field-columns.ts'
import {
  abandonTables,
  addColumns,
  addObjectTable,
  refuseTooManyColumns,
  tablesOfDefinition,
} from './object-table.ts'
import { rewriteTitles } from './rewrite-titles.ts'

/** The key under which changes of definitions queue: all of them lock the row of the catalogue. */
const CATALOGUE = 'catalogue'

export async function saveOntology(
  store: PostgresContext,
  change: OntologyChange,
  callerId: string,
  record: AuditRecord | undefined,
): Promise<void> {
  const { ontology, basedOn, isDryRun } = change
  try {
    await writeInTurn(store, { key: CATALOGUE, callerId }, async (session) => {
      const generation = await nextGeneration(session, basedOn)
      // Changing many tables can exceed the timeout of a statement.
      await session.extendTimeout()
      const stored = await lockTypes(session, store.capabilities, ontology.rid)
      const before = await readDefinition(session, ontology.rid)
      await saveDefinition(session, ontology.definition)
      await saveObjectTypes(session, store, { change, stored, before, generation })
      if (isDryRun) throw new DryRun()
      await addAuditRecords(session, [record])
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
}

/** Deletes an ontology with all its objects. */
export function deleteOntology(
  store: PostgresContext,
  deletion: OntologyDeletion,
  callerId: string,
  record: AuditRecord | undefined,
): Promise<void> {
  const { ontologyRid, basedOn } = deletion
  return writeInTurn(store, { key: CATALOGUE, callerId }, async (session) => {
    await nextGeneration(session, basedOn)
    await session.extendTimeout()
    const types = await lockTypes(session, store.capabilities, ontologyRid)
    refuseDeletion(types, deletion)
    for (const { id } of types) await dropObjectType(session, id)
    await session.run('DELETE FROM oqs_ontology WHERE rid = ?', [ontologyRid])
    await addAuditRecords(session, [record])
  })
}

/** Ends the transaction of a change that is only tried. */
class DryRun extends Error {}

async function readDefinition(
  session: WriteSession,
  ontologyRid: string,
): Promise<OntologyDefinition | undefined> {
  const [row] = await session.query('SELECT definition FROM oqs_ontology WHERE rid = ?', [
    ontologyRid,
  ])
  return row && (JSON.parse(String(row[0])) as OntologyDefinition)
}

/** If two nodes save at the same time, the second one waits here and is then refused. */
async function nextGeneration(session: WriteSession, basedOn: number): Promise<number> {
  const [row] = await session.query('SELECT generation FROM oqs_catalogue FOR UPDATE')
  if (row?.[0] !== basedOn) throw definitionOutOfSync()
  await session.run('UPDATE oqs_catalogue SET generation = generation + 1')
  return basedOn + 1
}

/** Locks all types of an ontology, so that no objects of them are written meanwhile. */
async function lockTypes(
  session: WriteSession,
  { needsSeparatePublication }: Capabilities,
  ontologyRid: string,
): Promise<readonly StoredType[]> {
  const rows = await session.query(
    `SELECT id, rid, definition FROM oqs_object_type WHERE ontology_rid = ? ORDER BY id FOR UPDATE`,
    [ontologyRid],
  )
  if (needsSeparatePublication) for (const [id] of rows) await refuseUnfinished(session, Number(id))
  // After the locks: no commit changes the counts any more.
  const counts = await session.query(
    `SELECT t.id, o.live_count, (
       SELECT coalesce(sum(live_count), 0) FROM oqs_object_table
       WHERE object_type_id = t.id AND state = 'loading'
     ) FROM oqs_object_type AS t JOIN oqs_object_table AS o
       ON o.id = t.table_id WHERE t.ontology_rid = ?`,
    [ontologyRid],
  )
  const countsOf = new Map(counts.map((row) => [Number(row[0]), row.map(Number)]))
  return rows.map(([id, rid, definition]) => ({
    id: Number(id),
    rid: String(rid),
    definition: String(definition),
    objects: countsOf.get(Number(id))?.[1] ?? 0,
    loading: countsOf.get(Number(id))?.[2] ?? 0,
  }))
}

async function saveDefinition(session: WriteSession, definition: OntologyDefinition) {
  const rid = definition.rid ?? ''
  await session.run(
    `INSERT INTO oqs_ontology (rid, api_name, definition) VALUES (?, ?, ?)
     ON CONFLICT (rid) DO UPDATE SET api_name = excluded.api_name, definition = excluded.definition`,
    [rid, definition.apiName, JSON.stringify(definition)],
  )
  await session.run('DELETE FROM oqs_ontology_family WHERE ontology_rid = ?', [rid])
  await session.run(
    'INSERT INTO oqs_ontology_family (family, ontology_rid) SELECT unnest(?::text[]), ?',
    [definition.families ?? [], rid],
  )
}

interface SavedTypes {
  readonly change: OntologyChange
  readonly stored: readonly StoredType[]
  /** The earlier definition of the ontology. */
  readonly before: OntologyDefinition | undefined
  readonly generation: number
}

async function saveObjectTypes(
  session: WriteSession,
  { capabilities }: PostgresContext,
  { change, stored, before, generation }: SavedTypes,
): Promise<void> {
  const { ontology, types, allowDataLoss } = change
  const { definition } = ontology
  const rewrites: RewrittenType[] = []
  for (const step of planTypes(stored, { definition, types, allowDataLoss })) {
    if (step.kind === 'drop') {
      await dropObjectType(session, step.id)
      continue
    }
    const { apiName } = step.definition
    const type = ontology.objectTypes.get(apiName)
    if (type === undefined) throw new Error(`no object type ${apiName}`)
    if (step.kind === 'add') {
      const id = await addObjectType(session, ontology.rid, step.definition, generation)
      await addTable(session, id, type)
      continue
    }
    await updateObjectType(session, step, generation)
    if (step.kind === 'recreate') await recreateTable(session, step.id, type, generation)
    else if (step.kind === 'update') await addFields(session, step.id, type)
    else rewrites.push({ ...step, type, before: earlierTypeOf(before, type), generation })
  }
  await rewriteTypes(session, capabilities, rewrites)
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
  if (step.kind !== 'update' || !step.hasNewTitle) return
  for (const table of await tablesOfDefinition(session, id)) {
    await rewriteTitles(session, table.id, definition.titleProperty)
  }
}

async function dropObjectType(session: WriteSession, id: number): Promise<void> {
  await abandonTables(session, id)
  await session.run(
    `INSERT INTO oqs_dropped_object_type (rid, last_version)
     SELECT rid, last_version FROM oqs_object_type WHERE id = ?
     ON CONFLICT (rid) DO UPDATE SET last_version = excluded.last_version`,
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
       redefined_in = ?
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
