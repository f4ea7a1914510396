import { ObjectQueryError } from '../contract/errors.ts'
import type { ObjectType } from '../ontology/ontology.ts'

/**
 * The properties that a caller wants to see, in the order of the type; undefined for all. The
 * primary key is always among them.
 */
export type Selection = readonly string[] | undefined

export function checkSelection(names: readonly string[], objectType: ObjectType): Selection {
  if (names.length === 0) return undefined
  const unknown = names.filter((name) => !objectType.properties.has(name))
  if (unknown.length > 0) {
    throw new ObjectQueryError('PropertiesNotFound', {
      objectType: objectType.apiName,
      properties: unknown,
    })
  }
  const wanted = new Set([...names, objectType.primaryKey.apiName])
  return [...objectType.properties.keys()].filter((name) => wanted.has(name))
}
