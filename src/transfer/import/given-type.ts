import type { PropertyDefinition } from '../../ontology/definition/definition-schema.ts'
import { SCALAR_TYPES } from '../../ontology/definition/property-type.ts'

/** The names that `readGivenType` accepts, for messages. */
export const GIVEN_TYPES = `${SCALAR_TYPES.join(', ')}, or TYPE[] for an array`

/** Reads the name of a type, such as `decimal` or `string[]`; undefined if there is no such type. */
export function readGivenType(name: string): PropertyDefinition | undefined {
  const isArray = name.endsWith('[]')
  const type = SCALAR_TYPES.find((scalar) => scalar === (isArray ? name.slice(0, -2) : name))
  if (type === undefined) return undefined
  return isArray ? { type: 'array', items: { type } } : { type }
}
