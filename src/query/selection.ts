/** Selects the properties that a page returns. */

import { ObjectQueryError } from '../contract/errors.ts'
import type { ObjectType } from '../ontology/ontology.ts'

/** The selected properties in the order of the type, always with the primary key; undefined for all. */
export type Selection = readonly string[] | undefined

/** Returns the selection with the given names, or throws if the type does not have one of them. */
export function checkSelection(names: readonly string[], objectType: ObjectType): Selection {
  if (names.length === 0) return undefined
  const unknown = names.filter((name) => !objectType.properties.has(name))
  if (unknown.length > 0) {
    throw new ObjectQueryError('PropertiesNotFound', {
      objectType: objectType.apiName,
      properties: unknown,
    })
  }
  const selected = new Set([...names, objectType.primaryKey.apiName])
  return [...objectType.properties.keys()].filter((name) => selected.has(name))
}
