import type { DatabaseSync } from 'node:sqlite'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'

/** Reads the definition of a type within a transaction: the one of a request may be older. */
export function readObjectType(db: DatabaseSync, typeId: number): ObjectType {
  const row = db
    .prepare(
      `SELECT t.rid, o.definition FROM oqs_object_type AS t
       JOIN oqs_ontology AS o ON o.rid = t.ontology_rid WHERE t.id = ?`,
    )
    .get(typeId)
  const definition = JSON.parse(String(row?.['definition'])) as OntologyDefinition
  const types = parseDefinition(definition).objectTypes.values()
  const type = types.find(({ rid }) => rid === row?.['rid'])
  if (type === undefined) throw new Error(`no definition of type ${typeId}`)
  return type
}
