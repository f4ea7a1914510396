/** Finds properties by the names that a URL contains, which ignore case. */
import type { ObjectType } from '../../ontology/ontology.ts'

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
