/**
 * Settles a batch: of several changes to one object the last one counts, or the first one where
 * existing objects are kept. In key order, because rows that are written in key order are read
 * fastest in key order.
 */
import { sortInTurns } from './sql/sort-in-turns.ts'

export function settleChanges<T>(
  changes: readonly T[],
  keyOf: (change: T) => string,
  keepsExisting: boolean,
): T[] {
  const byKey = new Map<string, T>()
  keepByKey(byKey, changes, keyOf, keepsExisting)
  // Any order is right, this one is good; UTF-16 order differs from key order only past the BMP.
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change)
}

/** The same for changes that arrive part by part, without holding up other work of the process. */
export async function settleInTurns<T>(
  parts: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  keyOf: (change: T) => string,
  keepsExisting: boolean,
): Promise<readonly T[]> {
  const byKey = new Map<string, T>()
  for await (const part of parts) keepByKey(byKey, part, keyOf, keepsExisting)
  return sortInTurns([...byKey.values()], keyOf)
}

function keepByKey<T>(
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
