import { OBJECT_SET_MAX_OBJECTS } from '../../contract/limits.ts'
import { objectIdOfRid } from '../../ontology/definition/rid.ts'
import { isJsonObject } from '../../ontology/json-object.ts'

/**
 * Returns the ids of the objects that the static sets in an object set list, or undefined if it has
 * no static set. Invalid sets are left out, and so are ids beyond the limit: the parser refuses them.
 */
export function listedIds(
  objectSet: unknown,
  storedSet: (rid: string) => unknown,
): readonly string[] | undefined {
  const ids = new Set<string>()
  const references = new Set<string>()
  let hasStaticSet = false
  const waiting = [objectSet]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (!isJsonObject(value)) continue
    const { type, reference, objects, objectSet: inner, objectSets } = value
    if (type === 'reference' && typeof reference === 'string' && !references.has(reference)) {
      references.add(reference)
      const set = storedSet(reference)
      if (set !== undefined) waiting.push(set)
    }
    if (type === 'static' && Array.isArray(objects)) {
      hasStaticSet = true
      for (const rid of objects) {
        const id = typeof rid === 'string' ? objectIdOfRid(rid) : undefined
        if (id !== undefined && ids.size < OBJECT_SET_MAX_OBJECTS) ids.add(id)
      }
    }
    if (inner !== undefined) waiting.push(inner)
    if (Array.isArray(objectSets)) for (const set of objectSets) waiting.push(set)
  }
  return hasStaticSet ? [...ids] : undefined
}
