import { ObjectQueryError } from '../../../contract/errors.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../../ontology/definition/definition-schema.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import { refuseUnfinished, type Writable, writeInTurn } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { type FieldColumns, numberFields, readFieldColumns } from './field-columns.ts'
import {
  abandonTables,
  addColumns,
  addObjectTable,
  madeTables,
  tooManyColumns,
} from './object-table.ts'
import { rewriteTitles } from './rewrite-titles.ts'

/** Whoever saves a definition waits for the row of the catalogue. */
const CATALOGUE = 'catalogue'

/** Saves a definition and gives every object type its table, all in one transaction. */
export function saveOntology(
  store: Writable,
  change: OntologyChange,
  callerId: string,
): Promise<void> {
  return writeInTurn(store, { key: CATALOGUE, callerId }, async (session) => {
    const generation = await nextGeneration(session, change.basedOn)
    // Many tables can take long to make.
    await session.extendTimeout()
    const before = await lockTypes(session, store.capabilities, change.ontology.rid)
    await refuseHarm(session, change.harms)
    await saveDefinition(session, change.ontology.definition)
    await saveObjectTypes(session, { change, before, generation })
  })
}

/** Of two nodes that save at once, the second waits here, and then comes too late. */
async function nextGeneration(session: WriteSession, basedOn: number): Promise<number> {
  const [row] = await session.query('SELECT generation FROM oqs_catalogue FOR UPDATE')
  if (row?.[0] !== basedOn) {
    throw new ObjectQueryError('OntologyDefinitionOutOfSync', {
      reason: 'another definition was saved at the same time',
    })
  }
  await session.run('UPDATE oqs_catalogue SET generation = generation + 1')
  return basedOn + 1
}

interface TypeRow {
  readonly id: number
  readonly rid: string
  readonly definition: string
}

/** Locks every type of an ontology, so that nobody writes objects of it meanwhile. */
async function lockTypes(
  session: WriteSession,
  { publishesApart }: Capabilities,
  ontologyRid: string,
): Promise<Map<string, TypeRow>> {
  const rows = await session.query(
    `SELECT id, rid, definition FROM oqs_object_type WHERE ontology_rid = ? ORDER BY id FOR UPDATE`,
    [ontologyRid],
  )
  const types = rows.map(([id, rid, definition]) => ({
    id: Number(id),
    rid: String(rid),
    definition: String(definition),
  }))
  if (publishesApart) for (const { id } of types) await refuseUnfinished(session, id)
  return new Map(types.map((type) => [type.rid, type]))
}

async function refuseHarm(session: WriteSession, harms: OntologyChange['harms']): Promise<void> {
  if (harms.length === 0) return
  const rows = await session.query(
    `SELECT t.rid FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
     WHERE t.rid = ANY(?) AND o.live_count > 0`,
    [harms.map(({ typeRid }) => typeRid)],
  )
  const reasons = harms
    .filter(({ typeRid }) => rows.some(([rid]) => rid === typeRid))
    .flatMap((harm) => harm.reasons)
  if (reasons.length > 0) throw new ObjectQueryError('OntologyChangeRefused', { reasons })
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
  readonly before: Map<string, TypeRow>
  readonly generation: number
}

async function saveObjectTypes(
  session: WriteSession,
  { change, before, generation }: SavedTypes,
): Promise<void> {
  const { ontology } = change
  const harmed = new Set(change.harms.map(({ typeRid }) => typeRid))
  for (const type of ontology.definition.objectTypes) {
    const parsed = ontology.objectTypes.get(type.apiName)
    if (parsed === undefined) throw new Error(`no object type ${type.apiName}`)
    const earlier = before.get(parsed.rid)
    before.delete(parsed.rid)
    if (earlier === undefined) {
      const id = await addObjectType(session, ontology.rid, type, generation)
      await giveTable(session, id, parsed)
      continue
    }
    await changeObjectType(session, earlier, type, generation)
    if (harmed.has(parsed.rid)) {
      await startAnew(session, earlier.id, parsed)
    } else {
      const added = await numberFields(session, earlier.id, parsed)
      if (added.length > 0) refuseWide(parsed, await readFieldColumns(session, earlier.id))
      await addColumns(session, earlier.id, added)
    }
  }
  // What is left over is no longer defined.
  for (const { id, rid } of before.values()) await dropObjectType(session, id, rid)
}

async function dropObjectType(session: WriteSession, id: number, rid: string): Promise<void> {
  // Refused above with reasons; whatever else may go wrong, objects are never dropped.
  await refuseHarm(session, [
    { typeRid: rid, reasons: ['an object type has objects and is left out'] },
  ])
  await abandonTables(session, id)
  await session.run(
    `INSERT INTO oqs_dropped_object_type (rid, last_version)
     SELECT rid, last_version FROM oqs_object_type WHERE id = ?
     ON CONFLICT (rid) DO UPDATE SET last_version = excluded.last_version`,
    [id],
  )
  await session.run('DELETE FROM oqs_object_type WHERE id = ?', [id])
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

/** Gives a type its first table, or a new one, which holds its versions from now on. */
async function giveTable(
  session: WriteSession,
  typeId: number,
  objectType: ObjectType,
): Promise<void> {
  refuseWide(objectType, await numberFields(session, typeId, objectType))
  const [row] = await session.query('SELECT published FROM oqs_object_type WHERE id = ?', [typeId])
  const version = Number(row?.[0])
  const wish = { typeId, state: 'published', firstVersion: version, loadedAs: version } as const
  const table = await addObjectTable(session, wish)
  await session.run('UPDATE oqs_object_type SET table_id = ? WHERE id = ?', [table, typeId])
}

function refuseWide({ apiName }: ObjectType, fields: readonly FieldColumns[]): void {
  const reason = tooManyColumns(fields)
  if (reason === undefined) return
  throw new ObjectQueryError('InvalidOntologyDefinition', {
    mistakes: [{ path: `objectTypes.${apiName}.properties`, reason }],
  })
}

/** An empty type may change in any way, but past versions of it can no longer be read. */
async function startAnew(
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
  await giveTable(session, typeId, objectType)
}

async function changeObjectType(
  session: WriteSession,
  earlier: TypeRow,
  type: ObjectTypeDefinition,
  generation: number,
): Promise<void> {
  const definition = JSON.stringify(type)
  if (definition === earlier.definition) return
  await session.run('UPDATE oqs_object_type SET definition = ?, generation = ? WHERE id = ?', [
    definition,
    generation,
    earlier.id,
  ])
  const { titleProperty } = JSON.parse(earlier.definition) as ObjectTypeDefinition
  if (titleProperty === type.titleProperty) return
  for (const { id } of await madeTables(session, earlier.id)) {
    await rewriteTitles(session, id, type.titleProperty)
  }
}
