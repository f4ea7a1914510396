import type { StoredObject } from '../ontology/read-object.ts'
import type { Change } from './object-store.ts'

/** The changes of a batch in the form that stores write: one per key, in key order. */
export interface SettledChange {
  readonly pk: string
  /** Undefined for a deletion. */
  readonly object: StoredObject | undefined
}

/**
 * Settles a batch: of several changes to one object the last one counts, or the first one where
 * existing objects are kept. In key order, because rows that are written in key order are read
 * fastest in key order.
 */
export function settleChanges(changes: readonly Change[], keepsExisting: boolean): SettledChange[] {
  const byKey = new Map<string, SettledChange>()
  for (const change of changes) {
    const pk = 'put' in change ? change.put.pk : change.delete
    if (keepsExisting && byKey.has(pk)) continue
    byKey.set(pk, { pk, object: 'put' in change ? change.put : undefined })
  }
  // Any order is right, this one is good; UTF-16 order differs from key order only past the BMP.
  return [...byKey.values()].sort((a, b) => (a.pk < b.pk ? -1 : 1))
}

/** What the stored columns of an object add to a page, whatever the shape of its record adds. */
export function recordBytes(object: StoredObject): number {
  return (
    Buffer.byteLength(object.body) +
    Buffer.byteLength(object.key) +
    Buffer.byteLength(object.title ?? '')
  )
}
