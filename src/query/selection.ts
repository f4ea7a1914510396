/** The properties that a request names: those that its page returns, and in a URL in any case of letters. */

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

/** Returns the name of the property that is meant; undefined if there is none or several. */
export type PropertyFinder = (name: string) => string | undefined

export function propertyFinder(objectType: ObjectType): PropertyFinder {
  // Built once per request, and only if a name does not match exactly.
  let names: ReadonlyMap<string, string | undefined> | undefined
  return (name) => {
    if (objectType.properties.has(name)) return name
    names ??= namesByLowerCase(objectType)
    return names.get(name.toLowerCase())
  }
}

/** Maps lower-case names to properties; undefined if two properties share one. */
function namesByLowerCase(objectType: ObjectType): ReadonlyMap<string, string | undefined> {
  const names = new Map<string, string | undefined>()
  for (const name of objectType.properties.keys()) {
    const lower = name.toLowerCase()
    names.set(lower, names.has(lower) ? undefined : name)
  }
  return names
}
