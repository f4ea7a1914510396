/**
 * Settles a batch: of several changes to one object the last one counts, or the first one where
 * existing objects are kept. In key order, because rows that are written in key order are read
 * fastest in key order.
 */
export function settleChanges<T>(
  changes: readonly T[],
  keyOf: (change: T) => string,
  keepsExisting: boolean,
): T[] {
  const byKey = new Map<string, T>()
  for (const change of changes) {
    const key = keyOf(change)
    if (keepsExisting && byKey.has(key)) continue
    byKey.set(key, change)
  }
  // Any order is right, this one is good; UTF-16 order differs from key order only past the BMP.
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change)
}
