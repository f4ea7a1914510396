/** How the objects of a type are read by its current definition. */
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { objectSteps } from '../../../ontology/values/read-object.ts'
import { type TypeConverter, typeOf } from '../../sql/stored-change.ts'
import { json, text } from '../session/columns.ts'
import type { Operation } from '../session/operation.ts'
import type { ReadSession } from '../session/session.ts'

/** Reads the definition in the transaction: the one of a request may be older. */
export function* readUnchangedConverter(
  session: ReadSession,
  typeId: number,
): Operation<TypeConverter> {
  const row = yield* session.find(
    `SELECT t.rid, o.definition FROM oqs_object_type AS t
     JOIN oqs_ontology AS o ON o.rid = t.ontology_rid WHERE t.id = ?`,
    [typeId],
    { rid: text, definition: json<OntologyDefinition> },
  )
  if (row === undefined) throw new Error(`no object type ${typeId}`)
  const type = typeOf(row.definition, row.rid)
  const readSteps = objectSteps(type)
  return { type, convert: (body) => readSteps(JSON.parse(body)), changesKeys: false }
}
