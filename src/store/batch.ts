/**
 * Deduplicates a batch: of each object, the last change stays, or the first if existing objects are
 * kept. The result is in key order, because rows that are written in key order are read fastest in it.
 */
import { sortInTurns } from './sql/sort-in-turns.ts'

/** Returns one change per object, in key order. */
export function deduplicateChanges<T>(
  changes: readonly T[],
  keyOf: (change: T) => string,
  keepExisting: boolean,
): T[] {
  const byKey = new Map<string, T>()
  addByKey(byKey, changes, keyOf, keepExisting)
  // Any order is correct; UTF-16 order differs from key order only beyond the BMP.
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change)
}

/** Does the same for a stream of changes, and yields to other work of the event loop. */
export async function deduplicateInTurns<T>(
  parts: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  keyOf: (change: T) => string,
  keepExisting: boolean,
): Promise<readonly T[]> {
  const byKey = new Map<string, T>()
  for await (const part of parts) addByKey(byKey, part, keyOf, keepExisting)
  return sortInTurns([...byKey.values()], keyOf)
}

function addByKey<T>(
  byKey: Map<string, T>,
  changes: readonly T[],
  keyOf: (change: T) => string,
  keepExisting: boolean,
): void {
  for (const change of changes) {
    const key = keyOf(change)
    if (keepExisting && byKey.has(key)) continue
    byKey.set(key, change)
  }
}
