/** Saves an ontology: its definition, its object types and their tables, in one transaction. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../../ontology/definition/definition-schema.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import {
  definitionOutOfSync,
  dropOfType,
  planTypes,
  refuseBreakingChanges,
  type StoredType,
  type TypeStep,
} from '../../sql/plan-types.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import { type PostgresContext, refuseUnfinished, writeInTurn } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { type FieldColumns, numberFields, readFieldColumns } from './field-columns.ts'
import {
  abandonTables,
  addColumns,
  addObjectTable,
  createdTables,
  tooManyColumns,
} from './object-table.ts'
import { rewriteTitles } from './rewrite-titles.ts'

/** The key under which changes of definitions queue: all of them lock the row of the catalogue. */
const CATALOGUE = 'catalogue'

export function saveOntology(
  store: PostgresContext,
  change: OntologyChange,
  callerId: string,
): Promise<void> {
  return writeInTurn(store, { key: CATALOGUE, callerId }, async (session) => {
    const generation = await nextGeneration(session, change.basedOn)
    // Changing many tables can take long.
    await session.extendTimeout()
    const stored = await lockTypes(session, store.capabilities, change.ontology.rid)
    await refuseIfObjects(session, change.breakingChanges)
    await saveDefinition(session, change.ontology.definition)
    await saveObjectTypes(session, { change, stored, generation })
  })
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
  const types = rows.map(([id, rid, definition]) => ({
    id: Number(id),
    rid: String(rid),
    definition: String(definition),
  }))
  if (needsSeparatePublication) for (const { id } of types) await refuseUnfinished(session, id)
  return types
}

async function refuseIfObjects(
  session: WriteSession,
  breakingChanges: OntologyChange['breakingChanges'],
): Promise<void> {
  if (breakingChanges.length === 0) return
  const rows = await session.query(
    `SELECT t.rid FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
     WHERE t.rid = ANY(?) AND o.live_count > 0`,
    [breakingChanges.map(({ typeRid }) => typeRid)],
  )
  const withObjects = new Set(rows.map(([rid]) => rid))
  refuseBreakingChanges(breakingChanges, (typeRid) => withObjects.has(typeRid))
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
  readonly generation: number
}

async function saveObjectTypes(
  session: WriteSession,
  { change, stored, generation }: SavedTypes,
): Promise<void> {
  const { ontology, breakingChanges } = change
  for (const step of planTypes(stored, ontology.definition, breakingChanges)) {
    if (step.kind === 'drop') {
      await dropObjectType(session, step.id, step.rid)
      continue
    }
    const { apiName } = step.definition
    const type = ontology.objectTypes.get(apiName)
    if (type === undefined) throw new Error(`no object type ${apiName}`)
    if (step.kind === 'add') {
      const id = await addObjectType(session, ontology.rid, step.definition, generation)
      await addTable(session, id, type)
    } else {
      await updateObjectType(session, step, generation)
      if (step.isRecreated) await recreateTable(session, step.id, type)
      else await addFields(session, step.id, type)
    }
  }
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
  { id, definition, isChanged, hasNewTitle }: TypeStep & { readonly kind: 'update' },
  generation: number,
): Promise<void> {
  if (!isChanged) return
  await session.run('UPDATE oqs_object_type SET definition = ?, generation = ? WHERE id = ?', [
    JSON.stringify(definition),
    generation,
    id,
  ])
  if (!hasNewTitle) return
  for (const table of await createdTables(session, id)) {
    await rewriteTitles(session, table.id, definition.titleProperty)
  }
}

async function dropObjectType(session: WriteSession, id: number, rid: string): Promise<void> {
  await refuseIfObjects(session, dropOfType(rid))
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
): Promise<void> {
  await abandonTables(session, typeId)
  await session.run('DELETE FROM oqs_object_field WHERE object_type_id = ?', [typeId])
  await session.run(
    `UPDATE oqs_object_type
     SET published = last_version + 1, oldest = last_version + 1, last_version = last_version + 1
     WHERE id = ?`,
    [typeId],
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

function refuseTooManyColumns({ apiName }: ObjectType, fields: readonly FieldColumns[]): void {
  const reason = tooManyColumns(fields)
  if (reason === undefined) return
  throw new ObjectQueryError('InvalidOntologyDefinition', {
    mistakes: [{ path: `objectTypes.${apiName}.properties`, reason }],
  })
}
