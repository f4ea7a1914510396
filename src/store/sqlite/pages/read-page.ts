import { bytesOfShape } from '../../../contract/object-record.ts'
import type { PageRead, Reclaimed, RecordWish, StoredPage } from '../../object-store.ts'
import type { PageCache } from '../../page-cache.ts'
import { releaserOf } from '../../page-memory.ts'
import { fewMatches } from '../../sql/few-matches.ts'
import { readFieldNumbers } from '../catalogue/field-numbers.ts'
import { objectTable } from '../catalogue/object-table.ts'
import {
  readTypeHead,
  type TableHead,
  type TypeHead,
  tableOfVersion,
} from '../catalogue/type-head.ts'
import { inTransaction } from '../file/connection.ts'
import type { Prepared, StatementCache } from '../file/statement-cache.ts'
import {
  countRows,
  estimateRows,
  findRows,
  isPlanOpen,
  queryTables,
  type RowSearch,
  readAnchor,
} from '../queries/find-rows.ts'
import type { QueryTables } from '../queries/query-sql.ts'
import type { Reading } from '../threads/reading.ts'
import { hasMatchList, listedRows } from './match-lists.ts'
import {
  followerSql,
  pageSql,
  recordName,
  recordSizesSql,
  rowSizesSql,
  rowsSql,
  type Visibility,
  visibilityValues,
} from './page-sql.ts'
import { mayPassOverManyRows } from './passed-rows.ts'

/**
 * Reads one page. All that it looks at (the newest version, the count, the rows, whether more
 * follow) is read in one transaction and therefore of one moment.
 */

/** The objects of one version: in which table, and which of its rows. */
interface Viewed extends TableHead {
  readonly version: number
  readonly visibility: Visibility
  /** The values of the visibility's placeholders. */
  readonly visible: readonly number[]
}

function pageBytes(bytes: Uint8Array | null): Pick<StoredPage, 'records' | 'release'> {
  const records = bytes ?? new Uint8Array(0)
  return { records, release: releaserOf(records) }
}

/** Reads a page, however long that takes. */
export function readPage(reading: Reading, read: PageRead): StoredPage | Reclaimed {
  return inTransaction(reading.db, 'read', () => {
    const head = readTypeHead(reading.statements, read.objectType)
    const version = versionToRead(head, read)
    return version === 'reclaimed' ? version : readVersion(reading, read, head, version)
  })
}

/** Reads a page, or finds it in the cache. Undefined: reading it would take too long here. */
export function readQuickPage(
  reading: Reading,
  read: PageRead,
  cache: PageCache,
): StoredPage | Reclaimed | undefined {
  const { db, statements } = reading
  return inTransaction(db, 'read', () => {
    const head = readTypeHead(statements, read.objectType)
    const version = versionToRead(head, read)
    if (version === 'reclaimed') return version
    const known = cache.find(read, version)
    if (known !== undefined) return known
    if (mayPassOverManyRows(reading, read, head, version)) return undefined
    const page = readVersion(reading, read, head, version)
    return page === 'reclaimed' ? page : cache.keep(read, page)
  })
}

function readVersion(
  reading: Reading,
  read: PageRead,
  head: TypeHead,
  version: number,
): StoredPage | Reclaimed {
  const { statements } = reading
  // The newest version is what the current rows are, and these have an index of their own.
  const visibility: Visibility = version === head.published ? 'current' : 'version'
  const visible = visibilityValues(visibility, version)
  const viewed = { ...tableOfVersion(statements, head, version), version, visibility, visible }
  if (!viewed.isMade) return readNothing(version)
  const isPlain = read.query.kind === 'everything' && read.order.length === 0
  return isPlain ? readInKeyOrder(statements, read, viewed) : readFound(reading, read, head, viewed)
}

/** A page that was read before, where it still is the one to show. */
export function findKept(
  { db, statements }: Reading,
  read: PageRead,
  cache: PageCache,
): StoredPage | undefined {
  return inTransaction(db, 'read', () => {
    const version = versionToRead(readTypeHead(statements, read.objectType), read)
    return version === 'reclaimed' ? undefined : cache.find(read, version)
  })
}

function versionToRead(head: TypeHead, read: PageRead): number | Reclaimed {
  const { version = head.published } = read
  // A version from before what is kept, or from a database that was since replaced by an older one.
  return version < head.oldest || version > head.published ? 'reclaimed' : version
}

/** The page of a table that nothing was written to yet: nothing follows any cursor. */
function readNothing(version: number): StoredPage {
  const records = pageBytes(null)
  return { ...records, count: 0, last: undefined, more: false, version, matches: 0 }
}

/** Every object, in key order: the walk that must cost no more than its bytes. */
function readInKeyOrder(statements: StatementCache, read: PageRead, viewed: Viewed): StoredPage {
  const { table, visibility, visible, version, liveCount } = viewed
  const after = read.after?.pk ?? ''
  const rows = rowsWithinBudget(read, viewed, read.maxObjects, () =>
    statements
      .prepare(recordSizesSql(table, visibility))
      .iterate(...visible, after, read.maxObjects),
  )
  const { statement, values } = preparePage(statements, table, visibility, read.record)
  const row = statement.get(...values, ...visible, after, rows)
  const [records, lastKey, count] = row as unknown as [Uint8Array | null, string | null, number]

  // A page that is not full is the last one; behind a full one, one more row decides.
  const more =
    count === rows &&
    statements
      .named(`follower ${table} ${visibility}`, () => followerSql(table, visibility))
      .statement.get(...visible, lastKey ?? after) !== undefined
  return {
    ...pageBytes(records),
    count,
    // The key alone is the place in this order.
    last: lastKey === null ? undefined : { pk: lastKey, version: 0 },
    more,
    version,
    matches: liveCount,
  }
}

/** The statement of a page, by a name where it has a short one: its text is long. */
function preparePage(
  statements: StatementCache,
  table: number,
  visibility: Visibility,
  record: RecordWish,
): Prepared {
  const write = () => pageSql(table, visibility, record)
  const name = recordName(record)
  if (name !== undefined) return statements.named(`page ${table} ${visibility} ${name}`, write)
  const { sql, values } = write()
  return { statement: statements.prepare(sql), values }
}

/** What a query finds, in any order: the rows first, then the records of those that fit. */
function readFound(
  reading: Reading,
  read: PageRead,
  head: TypeHead,
  viewed: Viewed,
): StoredPage | Reclaimed {
  const { db, statements } = reading
  const { table, visibility, visible, version, liveCount } = viewed
  const { objectType, query, order } = read
  const numbers = readFieldNumbers(db, head.typeId)
  const search: RowSearch = { table, objectType, numbers, query, order, visibility, visible }
  const anchor = read.after && readAnchor(statements, search, head, read.after)
  if (read.after !== undefined && anchor === undefined) return 'reclaimed'

  const tables = queryTables(statements, search)
  const limit = read.maxObjects + 1
  // Many who ask for the first page do not go on.
  const listed =
    anchor !== undefined && hasMatchList(search)
      ? listedRows(reading, search, tables, { version, afterKey: anchor.pk, limit })
      : undefined
  const needsCount = read.matches === undefined && (read.countsMatches || listed === undefined)
  const matches = needsCount
    ? countMatches(statements, search, tables, read, liveCount)
    : read.matches
  const areFew = matches !== undefined && matches <= fewMatches(read.maxObjects, liveCount)
  const found = listed ?? findRows(statements, search, tables, { anchor, limit, areFew })
  const wanted = found.slice(0, read.maxObjects)
  const rows = rowsWithinBudget(read, viewed, wanted.length, () =>
    statements.prepare(rowSizesSql(table)).iterate(JSON.stringify(wanted)),
  )
  const shown = wanted.slice(0, rows)
  const { sql, values } = rowsSql(table, read.record)
  const row = statements.prepare(sql).get(...values, JSON.stringify(shown))
  const [records] = row as unknown as [Uint8Array | null]
  return {
    ...pageBytes(records),
    count: shown.length,
    last: readPlace(statements, table, shown.at(-1)),
    more: found.length > shown.length,
    version,
    matches,
  }
}

/** Counts the matches where that is wanted, or guesses where that tells the better plan. */
function countMatches(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  { countsMatches, maxObjects }: PageRead,
  liveCount: number,
): number | undefined {
  if (search.query.kind === 'everything') return liveCount
  if (countsMatches) return countRows(statements, search, tables, liveCount)
  if (!isPlanOpen(search)) return undefined
  return estimateRows(statements, search, tables, fewMatches(maxObjects, liveCount) + 1)
}

function readPlace(statements: StatementCache, table: number, id: number | undefined) {
  if (id === undefined) return undefined
  const row = statements
    .prepare(`SELECT pk, valid_from FROM ${objectTable(table)} WHERE id = ?`)
    .get(id)
  const [pk, version] = row as unknown as [string, number]
  return { pk, version }
}

/** How many rows fit into the bytes of a page: all that are wanted, in all but rare cases. */
function rowsWithinBudget(
  { record, maxBytes }: PageRead,
  { maxRecordBytes }: TableHead,
  wanted: number,
  sizes: () => Iterable<unknown>,
): number {
  const shapeBytes = bytesOfShape(record.shape)
  // The type's largest record is known, so for small objects there is nothing to measure.
  if ((maxRecordBytes + shapeBytes) * wanted <= maxBytes) return wanted
  let rows = 0
  let bytes = 0
  for (const row of sizes()) {
    bytes += Number((row as [number])[0]) + shapeBytes
    if (bytes > maxBytes) break
    rows += 1
  }
  // The first object is owed to the client, however large it is [2.1.3].
  return Math.max(rows, Math.min(wanted, 1))
}
