/** The rules of a batch that both stores share. */
import { ObjectQueryError } from '../contract/errors.ts'
import { MERGED_OBJECTS_MAX } from '../contract/limits.ts'
import type { StoredObject } from '../ontology/values/read-object.ts'
import type { PublishMode } from './port/writes.ts'
import { sortInTurns } from './sql/in-turns.ts'

/**
 * Returns one change per object: the last one, or the first if existing objects are kept. They are
 * in key order, because rows that are written in key order are read fastest in it.
 */
export function deduplicateChanges<T>(
  changes: readonly T[],
  keyOf: (change: T) => string,
  keepsExisting: boolean,
): readonly T[] {
  if (isInKeyOrder(changes, keyOf)) return changes
  const byKey = new Map<string, T>()
  addByKey(byKey, changes, keyOf, keepsExisting)
  // Any order is correct; UTF-16 order differs from key order only beyond the BMP.
  return [...byKey.keys()].sort().map((key) => byKey.get(key) as T)
}

/** True if the keys are in ascending order, so that none occurs twice. */
function isInKeyOrder<T>(changes: readonly T[], keyOf: (change: T) => string): boolean {
  let last: string | undefined
  return changes.every((change) => {
    const previous = last
    last = keyOf(change)
    return previous === undefined || previous < last
  })
}

/** Does the same for a stream of changes, and yields to the event loop. */
export async function deduplicateInTurns<T>(
  parts: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  keyOf: (change: T) => string,
  keepsExisting: boolean,
): Promise<readonly T[]> {
  const byKey = new Map<string, T>()
  for await (const part of parts) addByKey(byKey, part, keyOf, keepsExisting)
  return sortInTurns([...byKey.values()], keyOf)
}

function addByKey<T>(
  byKey: Map<string, T>,
  changes: readonly T[],
  keyOf: (change: T) => string,
  keepsExisting: boolean,
): void {
  for (const change of changes) {
    const key = keyOf(change)
    if (keepsExisting && byKey.has(key)) continue
    byKey.set(key, change)
  }
}

/** Returns the bytes of an object in a page, without those that depend on the shape of the record. */
export function recordBytes({ body, key, title }: Pick<StoredObject, 'body' | 'key' | 'title'>) {
  return Buffer.byteLength(body) + Buffer.byteLength(key) + Buffer.byteLength(title ?? '')
}

/** Throws if the objects that an edit reads have more bytes than it may hold in memory. */
export function refuseLargeEdit(bytes: number, maxBytes = Number.POSITIVE_INFINITY): void {
  if (bytes <= maxBytes) return
  const reason = `The objects of the request have more than ${maxBytes} bytes together. Send it in smaller parts.`
  throw new ObjectQueryError('Default:RequestEntityTooLarge', { reason })
}

/** The error for a write that was validated against an older definition of its type. */
export function typeOutOfSync(objectTypeRid: string): ObjectQueryError {
  return new ObjectQueryError('OntologyDefinitionOutOfSync', {
    objectTypeRid,
    reason: 'the object type was changed while the request was being read',
  })
}

/** Returns the table number of a replacement; -1 for a name that cannot be one. */
export function replacementTableId(replacement: string): number {
  return /^\d{1,15}$/.test(replacement) ? Number(replacement) : -1
}

/** Throws if a replacement that was published in one mode is published again in another one. */
export function refuseOtherMode(
  { replacement, mode }: { readonly replacement: string; readonly mode: PublishMode },
  publishedMode: PublishMode | undefined,
): void {
  if (publishedMode === undefined || publishedMode === mode) return
  throw new ObjectQueryError('ReplacementAlreadyPublished', {
    replacement,
    publishedMode,
    requestedMode: mode,
  })
}

/**
 * Throws if too many current objects would be added to a replacement, which happens in one
 * transaction.
 */
export function refuseLargeMerge(objects: number): void {
  if (objects <= MERGED_OBJECTS_MAX) return
  throw new ObjectQueryError('ReplacementMergeExceededLimit', {
    objects,
    objectsLimit: MERGED_OBJECTS_MAX,
  })
}
