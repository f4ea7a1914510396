/**
 * The indexes by which row versions are found that commits have added or closed after a version. Both
 * include the key, so that they are walked in portions.
 */
import type { TableLayout } from './build-table.ts'
import { NEVER_CLOSED } from './object-tables.ts'

/**
 * Returns the columns and the condition of the index of added rows. It has the rows of versions after
 * the last load: loads do not pay for it, and most tables have few others. Planners take a comparison
 * of `valid_from` itself for a bound of the scan, and would read all of the index.
 */
export function addedIndex({ indexedVersion }: TableLayout): string {
  return `(valid_from, pk) WHERE ${isAddedAfter(indexedVersion)}`
}

/** Selects the rows of that index. */
export function isAddedAfter(indexedVersion: number): string {
  return `valid_from - ${indexedVersion} > 0`
}

/** The columns and the condition of the index of closed rows, by which they are reclaimed too. */
export const CLOSED_INDEX = `(valid_to, pk) WHERE valid_to < ${NEVER_CLOSED}`
