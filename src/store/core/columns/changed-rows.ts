/** The row versions of a table that commits have added or closed. */
import type { ClosedRow, FeedTable } from '../../columns/feed/column-feed.ts'
import { NEVER_CLOSED, objectTable } from '../catalogue/object-tables.ts'
import { isAddedAfter } from '../catalogue/version-indexes.ts'
import { integer, type Operation, text } from '../session/session.ts'
import type { FeedSession } from './feed-database.ts'

/** The versions whose changes are read. */
export interface Versions {
  readonly since: number
  readonly until: number
}

/** Where a portion of changes begins: after the key among the rows of the version. */
export interface Position {
  readonly version: number
  readonly key: string
}

/** Precedes all keys: none is empty. */
export const NO_KEY = ''

/** Changes that are read at once: the thread that reads them has other work in between. */
export const CHANGES_AT_ONCE = 200

/** The state of a table that is read. */
export interface TableState {
  /** See `TableLayout`. */
  readonly indexedVersion: number
  readonly maxRecordBytes: number
}

/** Selects the rows that were added after a version and a key, up to a version. */
export function addedBetween({ indexedVersion }: TableState, { since }: Versions): string {
  const between = '(o.valid_from, o.pk) > (?, ?) AND o.valid_from <= ?'
  // Before its load, a table has no rows, so that all rows are read anyway.
  return since < indexedVersion ? between : `${isAddedAfter(indexedVersion)} AND ${between}`
}

/** Does the same for closed rows. SQLite takes the first upper limit as the end of its scan. */
const CLOSED_BETWEEN = `(o.valid_to, o.pk) > (?, ?) AND o.valid_to <= ? AND o.valid_to < ${NEVER_CLOSED}`

/** Counts the changed rows, up to more than a limit. */
export function* countChanges(
  session: FeedSession,
  { table }: FeedTable,
  state: TableState,
  versions: Versions,
  maxRows: number,
): Operation<number> {
  const values = [versions.since + 1, NO_KEY, versions.until, maxRows + 1]
  let total = 0
  for (const where of [addedBetween(state, versions), CLOSED_BETWEEN]) {
    const rows = `SELECT 1 FROM ${objectTable(table)} AS o WHERE ${where} LIMIT ?`
    const sql = `SELECT count(*) FROM (${rows}) AS changed`
    total += (yield* session.find(sql, values, { count: integer }))?.count ?? 0
  }
  return total
}

/** Returns a function that reads the rows that were closed from a position on, up to a version. */
export function closedRows({ table }: FeedTable, until: number) {
  return (session: FeedSession, { version, key }: Position): Operation<readonly ClosedRow[]> =>
    session.query(
      `SELECT o.pk, o.valid_from, o.valid_to FROM ${objectTable(table)} AS o
       WHERE ${CLOSED_BETWEEN} ORDER BY o.valid_to, o.pk LIMIT ?`,
      [version, key, until, CHANGES_AT_ONCE],
      { key: text, validFrom: integer, validTo: integer },
      { isPrepared: true },
    )
}
