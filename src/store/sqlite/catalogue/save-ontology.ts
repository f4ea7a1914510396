/** Saves an ontology: its definition, its object types and their tables, in one transaction. */
import type { DatabaseSync } from 'node:sqlite'
import type { AuditRecord } from '../../../contract/audit-record.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { type FieldId, fieldsOf } from '../../../ontology/values/searchable-values.ts'
import type { OntologyDeletion } from '../../object-store.ts'
import {
  definitionOutOfSync,
  type PlannedChange,
  planTypes,
  refuseDeletion,
  type StoredType,
  type TypeStep,
} from '../../sql/plan-types.ts'
import { STORED_BYTES } from '../../sql/record-sql.ts'
import type { RewrittenType } from '../../sql/rewrite-objects.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { rewriteTypes } from '../writes/rewrite-type.ts'
import { addAuditRecord } from './audit-records.ts'
import {
  abandonTables,
  addFields,
  addObjectTable,
  numberFields,
  tablesOfDefinition,
} from './object-table.ts'
import { objectTable } from './table-name.ts'

/** An ontology change as a message to the writer thread: definitions are plain data. */
export type SavedDefinition = PlannedChange &
  Pick<OntologyChange, 'basedOn' | 'isDryRun'> & { readonly record: AuditRecord | undefined }

export function saveOntology(db: WriterDatabase, change: SavedDefinition): void {
  try {
    inTransaction(db, 'write', () => {
      const generation = nextGeneration(db, change.basedOn)
      const before = readDefinition(db, change.definition.rid ?? '')
      saveDefinition(db, change.definition, generation)
      saveObjectTypes(db, change, before, generation)
      if (change.isDryRun) throw new DryRun()
      addAuditRecord(db, change.record)
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
}

/** Deletes an ontology with all its objects. */
export function deleteOntology(
  db: WriterDatabase,
  deletion: OntologyDeletion & Pick<SavedDefinition, 'record'>,
): void {
  const { ontologyRid, basedOn } = deletion
  inTransaction(db, 'write', () => {
    nextGeneration(db, basedOn)
    const types = readTypes(db, ontologyRid)
    refuseDeletion(types, deletion)
    for (const { id } of types) dropObjectType(db, id)
    db.prepare('DELETE FROM ontology WHERE rid = ?').run(ontologyRid)
    addAuditRecord(db, deletion.record)
  })
}

/** Ends the transaction of a change that is only tried. */
class DryRun extends Error {}

function readDefinition(db: DatabaseSync, ontologyRid: string): OntologyDefinition | undefined {
  const row = db.prepare('SELECT definition FROM ontology WHERE rid = ?').get(ontologyRid)
  return row && (JSON.parse(String(row['definition'])) as OntologyDefinition)
}

function nextGeneration(db: DatabaseSync, basedOn: number): number {
  const current = db.prepare('SELECT generation FROM catalogue').get()?.['generation']
  if (current !== basedOn) throw definitionOutOfSync()
  db.prepare('UPDATE catalogue SET generation = generation + 1').run()
  return basedOn + 1
}

function saveDefinition(
  db: DatabaseSync,
  definition: OntologyDefinition,
  generation: number,
): void {
  const rid = definition.rid ?? ''
  db.prepare(
    `INSERT INTO ontology (rid, api_name, definition, generation) VALUES (?, ?, ?, ?)
     ON CONFLICT (rid) DO UPDATE SET api_name = excluded.api_name,
       definition = excluded.definition, generation = excluded.generation`,
  ).run(rid, definition.apiName, JSON.stringify(definition), generation)
  db.prepare('DELETE FROM ontology_family WHERE ontology_rid = ?').run(rid)
  const addFamily = db.prepare('INSERT INTO ontology_family (family, ontology_rid) VALUES (?, ?)')
  for (const family of definition.families ?? []) addFamily.run(family, rid)
}

function saveObjectTypes(
  db: WriterDatabase,
  change: SavedDefinition,
  before: OntologyDefinition | undefined,
  generation: number,
): void {
  const { definition } = change
  const ontologyRid = definition.rid ?? ''
  const { objectTypes } = parseDefinition(definition)
  const rewrites: RewrittenType[] = []
  for (const step of planTypes(readTypes(db, ontologyRid), change)) {
    if (step.kind === 'drop') {
      dropObjectType(db, step.id)
      continue
    }
    const type = objectTypes.get(step.definition.apiName)
    if (type === undefined) throw new Error(`no object type ${step.definition.apiName}`)
    const fields = fieldsOf(type.properties.values())
    if (step.kind === 'add') {
      addTable(db, addObjectType(db, ontologyRid, step.definition, generation), fields)
      continue
    }
    updateObjectType(db, step, generation)
    if (step.kind === 'recreate') recreateTable(db, step.id, fields, generation)
    else if (step.kind === 'update') addFields(db, step.id, fields)
    else rewrites.push({ ...step, type, before: earlierTypeOf(before, type), generation })
  }
  rewriteTypes(db, rewrites)
}

function readTypes(db: DatabaseSync, ontologyRid: string): StoredType[] {
  return db
    .prepare(
      `SELECT t.id, t.rid, t.definition, o.live_count AS objects, (
         SELECT coalesce(sum(live_count), 0) FROM object_table
         WHERE object_type_id = t.id AND state = 'loading'
       ) AS loading FROM object_type AS t JOIN object_table AS o ON o.id = t.table_id WHERE t.ontology_rid = ?`,
    )
    .all(ontologyRid) as unknown as StoredType[]
}

function earlierTypeOf(before: OntologyDefinition | undefined, { rid }: ObjectType): ObjectType {
  const types = before === undefined ? [] : [...parseDefinition(before).objectTypes.values()]
  const type = types.find((one) => one.rid === rid)
  if (type === undefined) throw new Error(`no earlier definition of ${rid}`)
  return type
}

function addObjectType(
  db: DatabaseSync,
  ontologyRid: string,
  type: ObjectTypeDefinition,
  generation: number,
): number {
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO object_type
         (rid, ontology_rid, definition, generation, published, last_version, oldest)
       SELECT ?1, ?2, ?3, ?4, version, version, version FROM (
         SELECT coalesce((SELECT last_version + 1 FROM dropped_object_type WHERE rid = ?1), 0) AS version
       )`,
    )
    .run(type.rid ?? '', ontologyRid, JSON.stringify(type), generation)
  return Number(lastInsertRowid)
}

function updateObjectType(
  db: DatabaseSync,
  step: Exclude<TypeStep, { readonly kind: 'add' | 'drop' }>,
  generation: number,
): void {
  const { id, definition } = step
  if (step.kind === 'update' && !step.isChanged) return
  db.prepare('UPDATE object_type SET definition = ?, generation = ? WHERE id = ?').run(
    JSON.stringify(definition),
    generation,
    id,
  )
  if (step.kind !== 'update' || !step.hasNewTitle) return
  for (const table of tablesOfDefinition(db, id)) {
    rewriteTitles(db, table.id, definition.titleProperty)
  }
}

function dropObjectType(db: DatabaseSync, id: number): void {
  abandonTables(db, id)
  db.prepare(
    `INSERT OR REPLACE INTO dropped_object_type (rid, last_version)
     SELECT rid, last_version FROM object_type WHERE id = ?`,
  ).run(id)
  db.prepare('DELETE FROM object_type WHERE id = ?').run(id)
}

/** Adds the table that holds the versions of a type from now on. */
function addTable(db: DatabaseSync, typeId: number, fields: readonly FieldId[]): void {
  numberFields(db, typeId, fields)
  const row = db.prepare('SELECT published FROM object_type WHERE id = ?').get(typeId)
  const version = Number(row?.['published'])
  const table = addObjectTable(db, {
    typeId,
    state: 'published',
    firstVersion: version,
    loadedAs: version,
  })
  db.prepare('UPDATE object_type SET table_id = ? WHERE id = ?').run(table, typeId)
}

/** An empty type may change in any way, but its earlier versions can no longer be read. */
function recreateTable(
  db: DatabaseSync,
  typeId: number,
  fields: readonly FieldId[],
  generation: number,
): void {
  abandonTables(db, typeId)
  // Its copies are abandoned as well.
  db.prepare('DELETE FROM rewrite WHERE object_type_id = ?').run(typeId)
  db.prepare('DELETE FROM object_field WHERE object_type_id = ?').run(typeId)
  db.prepare(
    `UPDATE object_type
     SET published = last_version + 1, oldest = last_version + 1, last_version = last_version + 1,
       redefined_in = ?
     WHERE id = ?`,
  ).run(generation, typeId)
  addTable(db, typeId, fields)
}

/** Titles are stored beside the body, so a new title property changes all of them. */
function rewriteTitles(db: DatabaseSync, id: number, property: string | undefined): void {
  const table = objectTable(id)
  if (property === undefined) {
    db.exec(`UPDATE ${table} SET title = NULL`)
    return
  }
  db.prepare(
    `UPDATE ${table} SET title = (
       SELECT CASE WHEN value LIKE '"%' THEN value ELSE '"' || value || '"' END
       FROM (SELECT body -> ? AS value) WHERE value IS NOT NULL
     )`,
  ).run(`$."${property}"`)
  db.prepare(
    `UPDATE object_table SET max_record_bytes = (
       SELECT coalesce(max(${STORED_BYTES}), 0) FROM ${table} AS o
     ) WHERE id = ?`,
  ).run(id)
}
