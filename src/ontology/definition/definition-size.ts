/** Limits the size of ontology definitions. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { DEFINITION_MAX_FIELDS, STRUCT_MAX_DEPTH } from '../../contract/limits.ts'
import { isJsonObject } from '../json-object.ts'

/**
 * Throws if a definition has more fields than the service can check, save and load without delaying
 * other requests. Accepts any JSON, so it can run before every other check.
 */
export function refuseLargeDefinition(definition: unknown): void {
  const count = countFields(definition)
  if (count <= DEFINITION_MAX_FIELDS) return
  const reason = `have ${count} properties and struct fields in total; the maximum per ontology is ${DEFINITION_MAX_FIELDS}`
  throw new ObjectQueryError('InvalidOntologyDefinition', {
    mistakes: [{ path: 'objectTypes', reason }],
  })
}

/** Counts the properties of all object types, shared ones, and the fields of their structs. */
export function countFields(definition: unknown): number {
  let count = 0
  const shared = { properties: member(definition, 'sharedPropertyTypes') }
  for (const type of [...valuesOf(member(definition, 'objectTypes')), shared]) {
    for (const property of valuesOf(member(type, 'properties'))) {
      count += 1 + countStructFields(property, STRUCT_MAX_DEPTH)
    }
  }
  return count
}

/** Counts the fields of a struct at all depths that a valid definition has. */
function countStructFields(definition: unknown, depth: number): number {
  const fields = member(definition, 'fields') ?? member(member(definition, 'items'), 'fields')
  if (fields === undefined || depth === 0) return 0
  return valuesOf(fields).reduce<number>(
    (count, field) => count + 1 + countStructFields(field, depth - 1),
    0,
  )
}

function member(json: unknown, name: string): unknown {
  return isJsonObject(json) ? json[name] : undefined
}

function valuesOf(json: unknown): readonly unknown[] {
  return typeof json === 'object' && json !== null ? Object.values(json) : []
}
