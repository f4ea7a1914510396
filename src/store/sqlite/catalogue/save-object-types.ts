/** Saves the object types of an ontology and their tables, within a transaction. */
import type { DatabaseSync } from 'node:sqlite'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { fieldsOf, type TypeField } from '../../../ontology/values/searchable-values.ts'
import {
  type PlannedChange,
  planTypes,
  type StoredType,
  type TypeStep,
} from '../../sql/plan-types.ts'
import { STORED_BYTES } from '../../sql/record-sql.ts'
import type { RewrittenType } from '../../sql/rewrite-objects.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import type { Rewrite } from '../rewrite/rewrite-states.ts'
import { publishRedefined, rewriteTypes } from '../writes/rewrite-type.ts'
import {
  abandonTables,
  addFields,
  addObjectTable,
  numberFields,
  tablesOfDefinition,
} from './object-table.ts'
import { objectTable } from './table-name.ts'

export interface SavedTypes {
  readonly change: PlannedChange
  readonly stored: readonly StoredType[]
  /** The earlier definition of the ontology. */
  readonly before: OntologyDefinition | undefined
  readonly generation: number
  /** Types whose objects are converted already. */
  readonly copies: ReadonlyMap<number, Rewrite>
}

export function saveObjectTypes(db: WriterDatabase, saved: SavedTypes): void {
  const { change, stored, before, generation, copies } = saved
  const { definition, isDryRun = false } = change
  const ontologyRid = definition.rid ?? ''
  const { objectTypes } = parseDefinition(definition)
  const rewrites: RewrittenType[] = []
  for (const step of planTypes(stored, change)) {
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
    if (!isDryRun && step.kind === 'update' && step.hasNewTitle) changeTitles(db, step)
    const copy = copies.get(step.id)
    if (copy !== undefined) publishRedefined(db, copy, generation)
    else if (step.kind === 'recreate') recreateTable(db, step.id, fields, generation)
    else if (step.kind === 'update') addFields(db, step.id, fields)
    else rewrites.push({ ...step, type, before: earlierTypeOf(before, type), generation })
  }
  rewriteTypes(db, rewrites, isDryRun)
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
      `INSERT INTO oqs_object_type
         (rid, ontology_rid, definition, generation, published, last_version, oldest)
       SELECT ?1, ?2, ?3, ?4, version, version, version FROM (
         SELECT coalesce((SELECT last_version + 1 FROM oqs_dropped_object_type WHERE rid = ?1), 0) AS version
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
  db.prepare('UPDATE oqs_object_type SET definition = ?, generation = ? WHERE id = ?').run(
    JSON.stringify(definition),
    generation,
    id,
  )
}

function changeTitles(
  db: DatabaseSync,
  { id, definition }: Extract<TypeStep, { readonly kind: 'update' }>,
): void {
  for (const table of tablesOfDefinition(db, id)) {
    rewriteTitles(db, table.id, definition.titleProperty)
  }
}

export function dropObjectType(db: DatabaseSync, id: number): void {
  abandonTables(db, id)
  db.prepare(
    `INSERT OR REPLACE INTO oqs_dropped_object_type (rid, last_version)
     SELECT rid, last_version FROM oqs_object_type WHERE id = ?`,
  ).run(id)
  db.prepare('DELETE FROM oqs_object_type WHERE id = ?').run(id)
}

/** Adds the table that holds the versions of a type from now on. */
function addTable(db: DatabaseSync, typeId: number, fields: readonly TypeField[]): void {
  numberFields(db, typeId, fields)
  const row = db.prepare('SELECT published FROM oqs_object_type WHERE id = ?').get(typeId)
  const version = Number(row?.['published'])
  const table = addObjectTable(db, {
    typeId,
    state: 'published',
    firstVersion: version,
    loadedAs: version,
  })
  db.prepare('UPDATE oqs_object_type SET table_id = ? WHERE id = ?').run(table, typeId)
}

/** An empty type may change in any way, but its earlier versions can no longer be read. */
function recreateTable(
  db: DatabaseSync,
  typeId: number,
  fields: readonly TypeField[],
  generation: number,
): void {
  abandonTables(db, typeId)
  // Its copies are abandoned as well.
  db.prepare('DELETE FROM oqs_rewrite WHERE object_type_id = ?').run(typeId)
  db.prepare('DELETE FROM oqs_object_field WHERE object_type_id = ?').run(typeId)
  db.prepare(
    `UPDATE oqs_object_type
     SET published = last_version + 1, oldest = last_version + 1, last_version = last_version + 1,
       redefined_generation = ?
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
    `UPDATE oqs_object_table SET max_record_bytes = (
       SELECT coalesce(max(${STORED_BYTES}), 0) FROM ${table} AS o
     ) WHERE id = ?`,
  ).run(id)
}
