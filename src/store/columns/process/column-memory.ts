/** The memory that columns take, and which of them make room for others. */
import type { ColumnsStatus } from '../../port/maintenance.ts'
import { type Entry, IN_USE_MS, statusOf } from './type-entry.ts'

function usedBytes(entries: Iterable<Entry>): number {
  return [...entries].reduce((sum, { columns }) => sum + (columns?.bytes ?? 0), 0)
}

/**
 * Returns the columns to evict so that there is room for a type, those first that were not used for
 * the longest time; undefined if they would not suffice. Columns that nobody has asked for evict none.
 */
export function toEvict(
  entries: readonly Entry[],
  forEntry: Entry,
  bytes: number,
  maxBytes: number,
): readonly Entry[] | undefined {
  const unusedSince = Math.min(forEntry.usedAt, performance.now() - IN_USE_MS)
  const candidates = entries
    .filter((entry) => entry !== forEntry && entry.columns !== undefined)
    .filter(({ usedAt }) => usedAt < unusedSince)
    .sort((a, b) => a.usedAt - b.usedAt)
  const evicted: Entry[] = []
  let needed = usedBytes(entries) + bytes
  for (const entry of candidates) {
    if (needed <= maxBytes) break
    evicted.push(entry)
    needed -= entry.columns?.bytes ?? 0
  }
  return needed <= maxBytes ? evicted : undefined
}

/** Returns what the status of the service says about all columns, by the RID of their type. */
export function statusOfAll(entries: ReadonlyMap<string, Entry>, maxBytes: number): ColumnsStatus {
  return {
    residentBytes: process.memoryUsage.rss(),
    usedBytes: usedBytes(entries.values()),
    maxBytes,
    types: [...entries].map(([typeRid, entry]) => ({ typeRid, ...statusOf(entry) })),
  }
}
