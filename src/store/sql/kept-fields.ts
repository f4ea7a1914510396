import { isSameType } from '../../ontology/definition/property-type.ts'
import type { RenamedProperties } from '../../ontology/definition/type-change.ts'
import type { ObjectType } from '../../ontology/ontology.ts'

/**
 * Returns the new name of each property whose values a change of the definition keeps. They also keep
 * their numbers; all other properties get new ones, because their columns have other values.
 */
export function keptFields(
  before: ObjectType,
  after: ObjectType,
  renamed: RenamedProperties,
): ReadonlyMap<string, string> {
  const kept = new Map<string, string>()
  for (const [name, { type }] of after.properties) {
    const from = renamed.get(name) ?? name
    const earlier = before.properties.get(from)
    if (earlier !== undefined && isSameType(earlier.type, type)) kept.set(from, name)
  }
  return kept
}
