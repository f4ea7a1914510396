/** Merges a part of the properties of an object into it. */
import type { ObjectType } from '../ontology.ts'
import { mergePatch } from './merge-patch.ts'

type Properties = Readonly<Record<string, unknown>>

/**
 * Returns the properties of an object after a merge: members replace, null removes, and the others
 * stay. The fields of structs are merged as well, but never those of other values, such as shapes.
 */
export function mergeProperties(
  { properties }: Pick<ObjectType, 'properties'>,
  current: Properties,
  part: Properties,
): Properties {
  const merged = new Map(Object.entries(current))
  for (const [name, value] of Object.entries(part)) {
    const isStruct = properties.get(name)?.type.kind === 'struct'
    const after = isStruct ? mergePatch(merged.get(name) ?? {}, value) : value
    if (after === null || (isStruct && isEmpty(after))) merged.delete(name)
    else merged.set(name, after)
  }
  return Object.fromEntries(merged)
}

/** A struct that loses its last field has no value. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
