/** Loads the stored sets that an object set refers to, so that it can be parsed without waiting. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { OBJECT_SET_MAX_DEPTH, OBJECT_SET_MAX_STORED_BYTES } from '../../contract/limits.ts'
import { isJsonObject } from '../../ontology/json-object.ts'

/** A stored set, and the size of its JSON. */
export interface StoredSet {
  readonly objectSet: unknown
  readonly bytes: number
}

/**
 * Returns the stored sets of all references in an object set, and in the sets that these refer to.
 * Unknown references are left out: the parser refuses them. Each reference is a term of the query, so
 * no more than `maxTerms` are loaded; nor more bytes than can be parsed without delaying others.
 */
export async function loadReferences(
  objectSet: unknown,
  maxTerms: number,
  find: (rid: string) => Promise<StoredSet | undefined>,
): Promise<(rid: string) => unknown> {
  const stored = new Map<string, unknown>()
  let bytes = 0
  let waiting = referencesIn(objectSet)
  for (let depth = 0; waiting.length > 0 && depth <= OBJECT_SET_MAX_DEPTH; depth += 1) {
    const nested: string[] = []
    for (const rid of waiting) {
      if (stored.has(rid)) continue
      if (stored.size >= maxTerms) {
        throw new ObjectQueryError('QueryTermsExceededLimit', { termsLimit: maxTerms })
      }
      const found = await find(rid)
      bytes += found?.bytes ?? 0
      if (bytes > OBJECT_SET_MAX_STORED_BYTES) throw tooLarge()
      stored.set(rid, found?.objectSet)
      for (const reference of referencesIn(found?.objectSet)) nested.push(reference)
    }
    waiting = nested
  }
  return (rid) => stored.get(rid)
}

function tooLarge(): ObjectQueryError {
  const reason = `refers to temporary object sets of more than ${OBJECT_SET_MAX_STORED_BYTES} bytes`
  return new ObjectQueryError('UnsupportedObjectSet', { parameter: 'objectSet', reason })
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
    // Not spread into one call: a list can be longer than the stack allows.
    if (Array.isArray(objectSets)) for (const set of objectSets) values.push(set)
  }
  return references
}
