/** Limits the size of ontology definitions. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { DEFINITION_MAX_FIELDS } from '../../contract/limits.ts'
import { isJsonObject } from '../values/refused-value.ts'

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
function countFields(definition: unknown): number {
  let count = 0
  const shared = { properties: member(definition, 'sharedPropertyTypes') }
  for (const type of [...valuesOf(member(definition, 'objectTypes')), shared]) {
    for (const property of valuesOf(member(type, 'properties'))) {
      const structFields = member(property, 'fields') ?? member(member(property, 'items'), 'fields')
      count += 1 + (structFields === undefined ? 0 : valuesOf(structFields).length)
    }
  }
  return count
}

function member(json: unknown, name: string): unknown {
  return isJsonObject(json) ? json[name] : undefined
}

function valuesOf(json: unknown): readonly unknown[] {
  return typeof json === 'object' && json !== null ? Object.values(json) : []
}
