/** Saves an ontology: its definition, its object types and their tables, in one transaction. */
import type { DatabaseSync } from 'node:sqlite'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import { type FieldId, fieldsOf } from '../../../ontology/values/searchable-values.ts'
import {
  definitionOutOfSync,
  dropOfType,
  planTypes,
  refuseBreakingChanges,
  type StoredType,
  type TypeStep,
} from '../../sql/plan-types.ts'
import { STORED_BYTES } from '../../sql/record-sql.ts'
import { inTransaction } from '../file/connection.ts'
import {
  abandonTables,
  addFields,
  addObjectTable,
  createdTables,
  numberFields,
} from './object-table.ts'
import { objectTable } from './table-name.ts'

/** An ontology change as a message to the writer thread: definitions are plain data. */
export interface SavedDefinition {
  readonly definition: OntologyDefinition
  readonly basedOn: number
  readonly breakingChanges: OntologyChange['breakingChanges']
}

export function saveOntology(db: DatabaseSync, change: SavedDefinition): void {
  inTransaction(db, 'write', () => {
    const generation = nextGeneration(db, change.basedOn)
    refuseBreakingChanges(change.breakingChanges, (typeRid) => hasObjects(db, typeRid))
    saveDefinition(db, change.definition, generation)
    saveObjectTypes(db, change, generation)
  })
}

function nextGeneration(db: DatabaseSync, basedOn: number): number {
  const current = db.prepare('SELECT generation FROM catalogue').get()?.['generation']
  if (current !== basedOn) throw definitionOutOfSync()
  db.prepare('UPDATE catalogue SET generation = generation + 1').run()
  return basedOn + 1
}

/** Objects of a replacement that is being loaded were read by the definition, too. */
function hasObjects(db: DatabaseSync, typeRid: string): boolean {
  const row = db
    .prepare(
      `SELECT 1 FROM object_type AS t JOIN object_table AS o ON o.object_type_id = t.id
       WHERE t.rid = ? AND o.live_count > 0 AND (o.id = t.table_id OR o.state = 'loading')`,
    )
    .get(typeRid)
  return row !== undefined
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

function saveObjectTypes(db: DatabaseSync, change: SavedDefinition, generation: number): void {
  const { definition, breakingChanges } = change
  const ontologyRid = definition.rid ?? ''
  const { objectTypes } = parseDefinition(definition)
  const stored = db
    .prepare('SELECT id, rid, definition FROM object_type WHERE ontology_rid = ?')
    .all(ontologyRid) as unknown as StoredType[]
  for (const step of planTypes(stored, definition, breakingChanges)) {
    if (step.kind === 'drop') {
      dropObjectType(db, step.id, step.rid)
      continue
    }
    const fields = fieldsOf(objectTypes.get(step.definition.apiName)?.properties.values() ?? [])
    if (step.kind === 'add') {
      addTable(db, addObjectType(db, ontologyRid, step.definition, generation), fields)
    } else {
      updateObjectType(db, step, generation)
      if (step.isRecreated) recreateTable(db, step.id, fields)
      else addFields(db, step.id, fields)
    }
  }
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
  { id, definition, isChanged, hasNewTitle }: TypeStep & { readonly kind: 'update' },
  generation: number,
): void {
  if (!isChanged) return
  db.prepare('UPDATE object_type SET definition = ?, generation = ? WHERE id = ?').run(
    JSON.stringify(definition),
    generation,
    id,
  )
  if (!hasNewTitle) return
  for (const table of createdTables(db, id)) rewriteTitles(db, table.id, definition.titleProperty)
}

function dropObjectType(db: DatabaseSync, id: number, rid: string): void {
  refuseBreakingChanges(dropOfType(rid), (typeRid) => hasObjects(db, typeRid))
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
function recreateTable(db: DatabaseSync, typeId: number, fields: readonly FieldId[]): void {
  abandonTables(db, typeId)
  db.prepare('DELETE FROM object_field WHERE object_type_id = ?').run(typeId)
  db.prepare(
    `UPDATE object_type
     SET published = last_version + 1, oldest = last_version + 1, last_version = last_version + 1
     WHERE id = ?`,
  ).run(typeId)
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
