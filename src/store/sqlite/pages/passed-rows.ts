import type { PageRead } from '../../object-store.ts'
import { readFieldNumbers } from '../catalogue/field-numbers.ts'
import { type TypeHead, tableOfVersion } from '../catalogue/type-head.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { estimateRows, queryTables } from '../queries/find-rows.ts'
import type { Reading } from '../threads/reading.ts'
import { LIMIT } from './page-sql.ts'

/**
 * Tells whether a page may pass over many rows that are not visible. The index of the current rows
 * holds no others, so walks over it pass over nothing; the other indexes hold every row version that
 * is not reclaimed yet.
 */

/** Rows that a page may pass over on the main thread: a few milliseconds. */
const MANY_ROWS = 50_000
/** Commits that are looked at to count the rows that are newer than a snapshot. */
const LATER_COMMITS = 1000
/** Rows with one value, of any version, that are counted in an index: half a millisecond. */
const MANY_EQUAL_ROWS = 5000

export function mayPassOverManyRows(
  reading: Reading,
  read: PageRead,
  head: TypeHead,
  version: number,
): boolean {
  const { statements } = reading
  const isCurrent = version === head.published
  if (isCurrent && read.query.kind === 'everything' && read.order.length === 0) return false
  const { table, isMade, pastCount } = tableOfVersion(statements, head, version)
  if (!isMade) return false
  const later = isCurrent ? 0 : countLaterRows(statements, head, version)
  if (pastCount + later <= MANY_ROWS) return false
  return read.query.kind === 'everything' || hasManyEqualRows(reading, read, head, table)
}

/** Whether the rows that fulfil the query are many, visible or not: few can be read at once. */
function hasManyEqualRows(
  { db, statements }: Reading,
  { objectType, query }: PageRead,
  { typeId }: TypeHead,
  table: number,
): boolean {
  if (query.kind !== 'compare' || query.operator !== 'eq') return true
  const numbers = readFieldNumbers(db, typeId)
  const search = { table, objectType, numbers, query, ...ALL_ROWS }
  const tables = queryTables(statements, search)
  return estimateRows(statements, search, tables, MANY_EQUAL_ROWS + 1) > MANY_EQUAL_ROWS
}

/** Rows of every version, in no order. */
const ALL_ROWS = { order: [], visibility: 'current', visible: [] } as const

/** Rows that were written after a version; infinitely many if there are too many commits to tell. */
function countLaterRows(statements: StatementCache, { typeId }: TypeHead, version: number): number {
  const row = statements
    .prepare(
      `SELECT count(*), coalesce(sum(put), 0) FROM (
         SELECT put FROM commit_log WHERE object_type_id = ? AND version > ?
         ORDER BY version ${LIMIT})`,
    )
    .get(typeId, version, LATER_COMMITS)
  const [commits, rows] = row as unknown as [number, number]
  return commits === LATER_COMMITS ? Number.POSITIVE_INFINITY : rows
}
