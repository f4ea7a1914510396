/** Loads the stored sets that an object set refers to, so that it can be parsed without waiting. */
import { ObjectQueryError } from '../../contract/errors.ts'
import {
  OBJECT_SET_MAX_DEPTH,
  OBJECT_SET_MAX_OBJECTS,
  OBJECT_SET_MAX_STORED_BYTES,
} from '../../contract/limits.ts'
import { objectIdOfRid } from '../../ontology/definition/rid.ts'
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

/** Yields an object set and all sets inside it, of any depth: the parser refuses those too deep. */
function* setsIn(objectSet: unknown): Generator<Readonly<Record<string, unknown>>> {
  // Not recursive: the JSON may be nested more deeply than the stack allows.
  const waiting = [objectSet]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (!isJsonObject(value)) continue
    yield value
    const { objectSet: inner, objectSets } = value
    if (inner !== undefined) waiting.push(inner)
    // Not spread into one call, for the same reason.
    if (Array.isArray(objectSets)) for (const set of objectSets) waiting.push(set)
  }
}

function referencesIn(objectSet: unknown): string[] {
  const references: string[] = []
  for (const { type, reference } of setsIn(objectSet)) {
    if (type === 'reference' && typeof reference === 'string') references.push(reference)
  }
  return references
}

/**
 * Returns the ids of the objects that the static sets in an object set list, or undefined if it has
 * no static set. Invalid sets are left out, and so are ids beyond the limit: the parser refuses them.
 */
export function listedIds(
  objectSet: unknown,
  storedSet: (rid: string) => unknown,
): readonly string[] | undefined {
  const ids = new Set<string>()
  // A set grows while it is walked: the sets that references lead to follow.
  const roots = new Set([objectSet])
  let hasStaticSet = false
  for (const root of roots) {
    for (const rid of referencesIn(root)) roots.add(storedSet(rid))
    for (const { type, objects } of setsIn(root)) {
      if (type !== 'static' || !Array.isArray(objects)) continue
      hasStaticSet = true
      for (const rid of objects) {
        const id = typeof rid === 'string' ? objectIdOfRid(rid) : undefined
        if (id !== undefined && ids.size < OBJECT_SET_MAX_OBJECTS) ids.add(id)
      }
    }
  }
  return hasStaticSet ? [...ids] : undefined
}
