/** Loads the stored sets that an object set refers to, so that it can be parsed without waiting. */
import { OBJECT_SET_MAX_DEPTH } from '../../contract/limits.ts'
import { isJsonObject } from '../../ontology/values/refused-value.ts'

/**
 * Returns the stored sets of all references in an object set, and in the sets that these refer to.
 * Unknown references are left out: the parser refuses them.
 */
export async function loadReferences(
  objectSet: unknown,
  find: (rid: string) => Promise<unknown>,
): Promise<(rid: string) => unknown> {
  const stored = new Map<string, unknown>()
  let waiting = referencesIn(objectSet)
  for (let depth = 0; waiting.length > 0 && depth <= OBJECT_SET_MAX_DEPTH; depth += 1) {
    const nested: string[] = []
    for (const rid of waiting) {
      if (stored.has(rid)) continue
      const set = await find(rid)
      stored.set(rid, set)
      nested.push(...referencesIn(set))
    }
    waiting = nested
  }
  return (rid) => stored.get(rid)
}

/** Not recursive: the JSON may be nested more deeply than the parser allows. */
function referencesIn(objectSet: unknown): string[] {
  const references: string[] = []
  const values = [objectSet]
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    if (!isJsonObject(value)) continue
    const { type, reference, objectSet: inner, objectSets } = value
    if (type === 'reference' && typeof reference === 'string') references.push(reference)
    if (inner !== undefined) values.push(inner)
    if (Array.isArray(objectSets)) values.push(...objectSets)
  }
  return references
}
