import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import { type FieldId, fieldsOf } from '../../../ontology/values/searchable-values.ts'
import { inTransaction } from '../file/connection.ts'
import {
  abandonTables,
  addFields,
  addObjectTable,
  madeTables,
  numberFields,
  objectTable,
} from './object-table.ts'

/** An ontology change as it crosses to the writer thread: definitions are plain data. */
export interface SavedDefinition {
  readonly definition: OntologyDefinition
  readonly basedOn: number
  readonly harms: OntologyChange['harms']
}

/** Saves a definition and notes a table for every object type, all in one transaction. */
export function saveOntology(db: DatabaseSync, change: SavedDefinition): void {
  inTransaction(db, 'write', () => {
    const generation = nextGeneration(db, change.basedOn)
    refuseHarm(db, change.harms)
    saveDefinition(db, change.definition, generation)
    saveObjectTypes(db, change, generation)
  })
}

function nextGeneration(db: DatabaseSync, basedOn: number): number {
  const current = db.prepare('SELECT generation FROM catalogue').get()?.['generation']
  if (current !== basedOn) {
    throw new ObjectQueryError('OntologyDefinitionOutOfSync', {
      reason: 'another definition was saved at the same time',
    })
  }
  db.prepare('UPDATE catalogue SET generation = generation + 1').run()
  return basedOn + 1
}

function refuseHarm(db: DatabaseSync, harms: SavedDefinition['harms']): void {
  const count = db.prepare(
    `SELECT live_count FROM object_table WHERE id = (SELECT table_id FROM object_type WHERE rid = ?)`,
  )
  const reasons = harms
    .filter(({ typeRid }) => Number(count.get(typeRid)?.['live_count'] ?? 0) > 0)
    .flatMap((harm) => harm.reasons)
  if (reasons.length > 0) throw new ObjectQueryError('OntologyChangeRefused', { reasons })
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

interface TypeRow {
  readonly id: number
  readonly rid: string
  readonly definition: string
}

function saveObjectTypes(db: DatabaseSync, change: SavedDefinition, generation: number): void {
  const { definition } = change
  const harmed = new Set(change.harms.map(({ typeRid }) => typeRid))
  const { objectTypes } = parseDefinition(definition)
  const ontologyRid = definition.rid ?? ''
  const before = new Map(
    db
      .prepare('SELECT id, rid, definition FROM object_type WHERE ontology_rid = ?')
      .all(ontologyRid)
      .map((row) => [String(row['rid']), row as unknown as TypeRow]),
  )
  for (const type of definition.objectTypes) {
    const fields = fieldsOf(objectTypes.get(type.apiName)?.properties.values() ?? [])
    const earlier = before.get(type.rid ?? '')
    before.delete(type.rid ?? '')
    if (earlier === undefined) {
      giveTable(db, addObjectType(db, ontologyRid, type, generation), fields)
      continue
    }
    changeObjectType(db, earlier, type, generation)
    if (harmed.has(type.rid ?? '')) {
      startAnew(db, earlier.id, fields)
    } else {
      addFields(db, earlier.id, fields)
    }
  }
  // What is left over is no longer defined.
  for (const { id, rid } of before.values()) {
    // Refused above with reasons; whatever else may go wrong, objects are never dropped.
    refuseHarm(db, [{ typeRid: rid, reasons: ['an object type has objects and is left out'] }])
    abandonTables(db, id)
    db.prepare(
      `INSERT OR REPLACE INTO dropped_object_type (rid, last_version)
       SELECT rid, last_version FROM object_type WHERE id = ?`,
    ).run(id)
    db.prepare('DELETE FROM object_type WHERE id = ?').run(id)
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

/** Gives a type its first table, or a new one, which holds its versions from now on. */
function giveTable(db: DatabaseSync, typeId: number, fields: readonly FieldId[]): void {
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

/** An empty type may change in any way, but past versions of it can no longer be read. */
function startAnew(db: DatabaseSync, typeId: number, fields: readonly FieldId[]): void {
  abandonTables(db, typeId)
  db.prepare('DELETE FROM object_field WHERE object_type_id = ?').run(typeId)
  db.prepare(
    `UPDATE object_type
     SET published = last_version + 1, oldest = last_version + 1, last_version = last_version + 1
     WHERE id = ?`,
  ).run(typeId)
  giveTable(db, typeId, fields)
}

function changeObjectType(
  db: DatabaseSync,
  earlier: TypeRow,
  type: ObjectTypeDefinition,
  generation: number,
): void {
  const definition = JSON.stringify(type)
  if (definition === earlier.definition) return
  db.prepare('UPDATE object_type SET definition = ?, generation = ? WHERE id = ?').run(
    definition,
    generation,
    earlier.id,
  )
  const { titleProperty } = JSON.parse(earlier.definition) as ObjectTypeDefinition
  if (titleProperty === type.titleProperty) return
  for (const { id } of madeTables(db, earlier.id)) rewriteTitles(db, id, type.titleProperty)
}

/** The title is stored beside the body, so another title property means other titles. */
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
       SELECT coalesce(max(octet_length(body) + octet_length(key) + coalesce(octet_length(title), 0)), 0)
       FROM ${table}
     ) WHERE id = ?`,
  ).run(id)
}
