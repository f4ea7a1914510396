/**
 * Reads a page that merges several object types in one order. The database merges the first rows of
 * each part by their order columns; records are read only for the rows of the page.
 */
import { bytesOfShape } from '../../../contract/object-record.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ReadPageRequest, Reclaimed, RecordSpec, StoredPage } from '../../object-store.ts'
import { releaserOf } from '../../page-cache.ts'
import {
  partRequest,
  type ReadSetPageRequest,
  type SetCursor,
  type SetOrderTerm,
  type StoredSetPage,
} from '../../port/pages.ts'
import type { FieldNumbers } from '../../sql/compile/field-numbers.ts'
import { type KeysetCursor, type OrderColumn, orderBranches } from '../../sql/compile/keyset-sql.ts'
import { plainProperty } from '../../sql/compile/property-sql.ts'
import { combine, type SqlCondition, type SqlValue } from '../../sql/compile/sql-condition.ts'
import { integer, type Operation, text } from '../session/session.ts'

/** A table in SQL, and the columns of its fields. */
export interface PartTable {
  readonly table: string
  readonly numbers: FieldNumbers
}

/** One part of a page, ready to be searched. */
export interface PartSearch extends PartTable {
  readonly visible: SqlCondition
  readonly condition: SqlCondition
  /** Whether records may exceed the limit of the page's bytes, so that they must be measured. */
  readonly isMeasured: boolean
  readonly countTotal: () => Operation<number | undefined>
}

/** How a database reads the parts of a page, in the transaction that read the heads. */
export interface PartReader<Head> {
  /** Prepares a part; undefined if its table is not created yet. */
  searchPart(request: ReadPageRequest, head: Head): Operation<PartSearch | Reclaimed | undefined>
  /** Returns the table of a row that a commit wrote; undefined if the table was dropped. */
  tableOfRow(head: Head, version: number, type: ObjectType): Operation<PartTable | undefined>
  /** The column by which a row is found again most quickly. */
  readonly rowHandle: string
  /** The bytes of the columns of a row in a record. */
  readonly storedBytes: string
  rows(statement: SqlCondition): Operation<readonly (readonly unknown[])[]>
  /** Returns the values of a row. Integers of 64 bits are exact. */
  values(statement: SqlCondition): Operation<OrderValues | undefined>
  /** Returns the records of rows, each with the handle of its row. */
  records(
    search: PartSearch,
    record: RecordSpec,
    handles: readonly RowHandle[],
  ): Operation<Iterable<readonly [RowHandle, Uint8Array]>>
  /** The value of an order term for a part that does not have the property. */
  nullOf(term: SetOrderTerm): string
}

export type RowHandle = string | number

interface MergedRow {
  readonly part: number
  readonly handle: RowHandle
  readonly pk: string
  readonly version: number
  readonly bytes: number
}

type Searches = readonly (PartSearch | undefined)[]
export type OrderValues = readonly (SqlValue | null)[]

export function* readMergedPage<Head>(
  reader: PartReader<Head>,
  request: ReadSetPageRequest,
  heads: readonly Head[],
  versions: readonly number[],
): Operation<StoredSetPage | Reclaimed> {
  const searches: (PartSearch | undefined)[] = []
  for (const [index, part] of request.parts.entries()) {
    const search = yield* reader.searchPart(partRequest(request, part), heads[index] as Head)
    if (search === 'reclaimed') return search
    searches.push(search)
  }
  const cursorValues = yield* readCursorValues(reader, request, heads)
  if (cursorValues === 'reclaimed') return cursorValues

  const found = yield* findMerged(reader, request, searches, cursorValues)
  const candidates = found.slice(0, request.maxObjects)
  const isMeasured = searches.some((search) => search?.isMeasured)
  const rows = isMeasured ? fittingRows(request, candidates) : candidates
  const last = rows.at(-1)
  return {
    ...(yield* readRecords(reader, request, searches, rows)),
    count: rows.length,
    last: last && { part: last.part, pk: last.pk, version: last.version },
    more: found.length > rows.length,
    versions,
    totalCount: request.includeTotalCount ? yield* countParts(searches) : undefined,
  }
}

function fittingRows(
  { parts, maxBytes }: ReadSetPageRequest,
  candidates: readonly MergedRow[],
): readonly MergedRow[] {
  const overheads = parts.map(({ record }) => bytesOfShape(record.shape))
  const sizes = candidates.map(({ part, bytes }) => bytes + (overheads[part] ?? 0))
  return candidates.slice(0, countFittingSizes(sizes, maxBytes))
}

/** Looks up the order values of the row that the previous page ended with. */
function* readCursorValues<Head>(
  reader: PartReader<Head>,
  { order, after, parts }: ReadSetPageRequest,
  heads: readonly Head[],
): Operation<OrderValues | undefined | Reclaimed> {
  const part = after && parts[after.part]
  if (after === undefined || part === undefined) return undefined
  const of = yield* reader.tableOfRow(heads[after.part] as Head, after.version, part.objectType)
  if (of === undefined) return 'reclaimed'
  const columns = partColumns(order, after.part, of.numbers, reader.nullOf)
  const values = yield* reader.values({
    sql: `SELECT ${mergedColumns(columns)} FROM ${of.table} AS o WHERE pk = ? AND valid_from = ?`,
    values: [after.pk, after.version],
  })
  return values ?? 'reclaimed'
}

/** Returns the rows of the page in order, and one more if there is one. */
function* findMerged<Head>(
  reader: PartReader<Head>,
  { order, after, maxObjects }: ReadSetPageRequest,
  searches: Searches,
  cursorValues: OrderValues | undefined,
): Operation<MergedRow[]> {
  const limit = maxObjects + 1
  const branches = searches.flatMap((search, part): SqlCondition[] => {
    if (search === undefined) return []
    const { table, numbers, visible, condition, isMeasured } = search
    const columns = partColumns(order, part, numbers, reader.nullOf)
    const cursor = after && cursorValues && cursorOfPart(after, cursorValues, part)
    return orderBranches(columns, cursor).map((branch) => {
      const where = combine('and', [visible, condition, branch])
      return {
        sql: `SELECT * FROM (
          SELECT ${part} AS part, ${reader.rowHandle} AS handle, o.pk AS pk,
            o.valid_from AS version, ${isMeasured ? reader.storedBytes : '0'} AS bytes,
            ${mergedColumns(columns)}
          FROM ${table} AS o WHERE ${where.sql} ORDER BY ${branch.orderBy} ${LIMIT}) AS branch`,
        values: [...where.values, limit],
      }
    })
  })
  if (branches.length === 0) return []
  const rows = yield* reader.rows({
    sql: `SELECT part, handle, pk, version, bytes FROM (
        ${branches.map(({ sql }) => sql).join(' UNION ALL ')}
      ) AS merged ORDER BY ${mergedOrder(order)} ${LIMIT}`,
    values: [...branches.flatMap(({ values }) => values), limit],
  })
  return rows.map(([part, handle, pk, version, bytes]) => ({
    part: integer(part),
    handle: handle as RowHandle,
    pk: text(pk),
    version: integer(version),
    bytes: integer(bytes),
  }))
}

/** The addition stops SQLite from preparing the statement again for each value of the limit. */
const LIMIT = 'LIMIT ? + 0'

function* readRecords<Head>(
  reader: PartReader<Head>,
  { parts }: ReadSetPageRequest,
  searches: Searches,
  rows: readonly MergedRow[],
): Operation<Pick<StoredSetPage, 'records' | 'release'>> {
  const records = new Array<Uint8Array>(rows.length)
  for (const [part, { record }] of parts.entries()) {
    const positions = new Map(
      rows.flatMap((row, position) => (row.part === part ? [[row.handle, position]] : [])),
    )
    const search = searches[part]
    if (positions.size === 0 || search === undefined) continue
    for (const [handle, bytes] of yield* reader.records(search, record, [...positions.keys()])) {
      const position = positions.get(handle)
      if (position !== undefined) records[position] = bytes
    }
  }
  return joinRecords(records)
}

function* countParts(searches: Searches): Operation<number> {
  let total = 0
  for (const search of searches) total += (search && (yield* search.countTotal())) ?? 0
  return total
}

/** Joins records in memory of their own, which can be freed. */
export function joinRecords(
  records: readonly Uint8Array[],
  separator = ',',
): Pick<StoredPage, 'records' | 'release'> {
  const between = Buffer.from(separator)
  const separators = Math.max(0, records.length - 1) * between.length
  const length = records.reduce((bytes, record) => bytes + record.length, separators)
  const joined = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const [index, record] of records.entries()) {
    if (index > 0) {
      joined.set(between, at)
      at += between.length
    }
    joined.set(record, at)
    at += record.length
  }
  return { records: joined, release: releaserOf(joined) }
}

/** Returns the order columns of one part. A part without the property has only nulls. */
function partColumns(
  order: readonly SetOrderTerm[],
  part: number,
  numbers: FieldNumbers,
  nullOf: (term: SetOrderTerm) => string,
): OrderColumn[] {
  return order.map((term) => {
    const property = term.properties[part]
    const column =
      property === undefined
        ? plainProperty(nullOf(term))
        : numbers.propertySql(property, term.structField)
    return { property: property ?? '', direction: term.direction, nulls: term.nulls, ...column }
  })
}

/** Selects what rows are merged by, besides the key. */
function mergedColumns(columns: readonly OrderColumn[]): string {
  return columns.map(({ value }, index) => `${value} AS v${index}`).join(', ')
}

/** Returns the order of merged rows, with the columns of `mergedColumns`, `part` and `pk`. */
function mergedOrder(order: readonly SetOrderTerm[]): string {
  const terms = order.map(({ direction, nulls }, index) => `v${index} ${direction} NULLS ${nulls}`)
  return [...terms, 'part', `pk ${order.at(-1)?.direction ?? 'asc'}`].join(', ')
}

/** Returns the cursor as a part sees it, whose rows may come before or after it in a tie. */
function cursorOfPart(
  { part: cursorPart, pk }: SetCursor,
  values: readonly (SqlValue | null)[],
  part: number,
): KeysetCursor {
  const ties = part === cursorPart ? 'byKey' : part < cursorPart ? 'none' : 'all'
  return { pk, values, ties }
}

/** Counts the records that fit into the budget, and at least one, however large it is [2.1.3]. */
function countFittingSizes(sizes: readonly number[], maxBytes: number): number {
  let bytes = 0
  const fitting = sizes.findIndex((size) => {
    bytes += size
    return bytes > maxBytes
  })
  return fitting === -1 ? sizes.length : Math.max(1, fitting)
}
