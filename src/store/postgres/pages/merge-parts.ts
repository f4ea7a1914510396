/**
 * Reads a page that merges several object types in one order. The database merges the first rows of
 * each part by their order columns; records are read only for the rows of the page.
 */
import { bytesOfShape } from '../../../contract/object-record.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { Reclaimed } from '../../object-store.ts'
import {
  partRequest,
  type ReadSetPageRequest,
  type SetOrderTerm,
  type StoredSetPage,
} from '../../set-page.ts'
import {
  countFittingSizes,
  cursorOfPart,
  mergedColumns,
  mergedOrder,
  partColumns,
} from '../../sql/compile/merge-order.ts'
import { orderBranches } from '../../sql/compile/order-sql.ts'
import { STORED_BYTES } from '../../sql/compile/record-sql.ts'
import { combine, type SqlCondition, type SqlValue } from '../../sql/compile/sql-condition.ts'
import { joinRecords } from '../../sql/plan/part-walk.ts'
import { readableVersion } from '../../sql/plan/plan-rules.ts'
import { arrayText, columnType } from '../catalogue/column-codec.ts'
import { type TypeHead, tableOfRow, tableOfVersion } from '../catalogue/type-head.ts'
import { freeRows } from '../driver/byte-rows.ts'
import type { Session } from '../driver/database.ts'
import { readQuerySql } from '../queries/find-rows.ts'
import { type LinksStore, readLinkedTables } from '../queries/linked-tables.ts'
import type { TypeFields } from '../queries/query-tables.ts'
import { visibleSql } from '../queries/visible-rows.ts'
import { recordSql } from './page-sql.ts'
import { type PagePlan, planPage } from './plan-page.ts'
import { countTotal } from './read-page.ts'

/** One part of the page, ready to be searched. */
interface PartSearch {
  readonly plan: PagePlan
  readonly fields: TypeFields
  readonly condition: SqlCondition
  readonly matching: SqlCondition
}

interface MergedRow {
  readonly part: number
  readonly pk: string
  readonly version: number
  readonly bytes: number
}

/** Reads a page. Must be called in the transaction that read the heads. */
export async function readMergedPage(
  session: Session,
  request: ReadSetPageRequest,
  heads: readonly TypeHead[],
  versions: readonly number[],
  store: LinksStore,
): Promise<StoredSetPage | Reclaimed> {
  const searches = await searchParts(session, request, heads, store)
  if (searches === undefined) return 'reclaimed'
  const cursorValues = await readCursorValues(session, request, heads, searches)
  if (cursorValues === 'reclaimed') return 'reclaimed'

  const found = await findMerged(session, request, searches, cursorValues)
  const candidates = found.slice(0, request.maxObjects)
  const sizes = candidates.map(({ part, bytes }) => bytes + overheadOf(request, part))
  const rows = candidates.slice(0, countFittingSizes(sizes, request.maxBytes))
  const last = rows.at(-1)
  return {
    ...(await readRecords(session, request, searches, rows)),
    count: rows.length,
    last: last && { part: last.part, pk: last.pk, version: last.version },
    more: found.length > rows.length,
    versions,
    totalCount: request.includeTotalCount ? await countParts(session, searches) : undefined,
  }
}

async function searchParts(
  session: Session,
  request: ReadSetPageRequest,
  heads: readonly TypeHead[],
  store: LinksStore,
): Promise<PartSearch[] | undefined> {
  const searches: PartSearch[] = []
  for (const [index, part] of request.parts.entries()) {
    const head = heads[index]
    const pageRequest = partRequest(request, part)
    const version = head && readableVersion(pageRequest, head)
    if (head === undefined || version === undefined) return undefined
    const table = await tableOfVersion(session, head, version, pageRequest)
    const state = { version, isLatest: version === head.published, table }
    const fields = await store.fields.read(session, head, pageRequest.objectType, table)
    const plan = planPage(pageRequest, state, { ...store.capabilities, fields })
    const links = await readLinkedTables(session, pageRequest, { head, version }, store)
    if (links === 'reclaimed') return undefined
    const condition = await readQuerySql(session, pageRequest.query, fields, links)
    const matching = combine('and', [visibleSql(plan.visibility, version), condition])
    searches.push({ plan, fields, condition, matching })
  }
  return searches
}

function nullOf({ type }: SetOrderTerm): string {
  const name = columnType(type)
  return name === 'text' ? 'NULL::text COLLATE "C"' : `NULL::${name}`
}

/** Looks up the order values of the row that the previous page ended with. */
async function readCursorValues(
  session: Session,
  { order, after, parts }: ReadSetPageRequest,
  heads: readonly TypeHead[],
  searches: readonly PartSearch[],
): Promise<readonly (SqlValue | null)[] | undefined | Reclaimed> {
  const head = after && heads[after.part]
  const search = after && searches[after.part]
  const part = after && parts[after.part]
  if (after === undefined || head === undefined || search === undefined || part === undefined)
    return undefined
  const table = await tableOfRow(session, head, after.version, part.objectType)
  if (table === undefined) return 'reclaimed'
  const columns = partColumns(order, after.part, search.fields.numbers, nullOf)
  const [row] = await session.query(
    `SELECT ${mergedColumns(columns)} FROM ${objectTable(table)} AS o
     WHERE pk = ? AND valid_from = ?`,
    [after.pk, after.version],
  )
  return (row as readonly (SqlValue | null)[] | undefined) ?? 'reclaimed'
}

/** Returns the rows of the page in order, and one more if there is one. */
async function findMerged(
  session: Session,
  { order, after, maxObjects }: ReadSetPageRequest,
  searches: readonly PartSearch[],
  cursorValues: readonly (SqlValue | null)[] | undefined,
): Promise<MergedRow[]> {
  const limit = maxObjects + 1
  const branches = searches.flatMap(({ plan, fields, matching }, part) => {
    const columns = partColumns(order, part, fields.numbers, nullOf)
    const cursor = after && cursorValues && cursorOfPart(after, cursorValues, part)
    return orderBranches(columns, cursor).map((branch): SqlCondition => {
      const where = combine('and', [matching, branch])
      return {
        sql: `(SELECT ${part} AS part, o.pk AS pk, o.valid_from AS version,
            ${STORED_BYTES} AS bytes, ${mergedColumns(columns)}
          FROM ${objectTable(plan.table.table)} AS o
          WHERE ${where.sql} ORDER BY ${branch.orderBy} LIMIT ?)`,
        values: [...where.values, limit],
      }
    })
  })
  if (branches.length === 0) return []
  const rows = await session.query(
    `SELECT part, pk, version, bytes FROM (${branches.map(({ sql }) => sql).join(' UNION ALL ')}) AS merged
     ORDER BY ${mergedOrder(order)} LIMIT ?`,
    [...branches.flatMap(({ values }) => values), limit],
  )
  return rows.map(([part, pk, version, bytes]) => ({
    part: Number(part),
    pk: String(pk),
    version: Number(version),
    bytes: Number(bytes),
  }))
}

function overheadOf({ parts }: ReadSetPageRequest, part: number): number {
  return bytesOfShape(parts[part]?.record.shape ?? [])
}

async function readRecords(
  session: Session,
  { parts }: ReadSetPageRequest,
  searches: readonly PartSearch[],
  rows: readonly MergedRow[],
): Promise<Pick<StoredSetPage, 'records' | 'release'>> {
  const records = new Array<Uint8Array>(rows.length)
  for (const [part, { record }] of parts.entries()) {
    const positions = new Map(
      rows.flatMap((row, position) => (row.part === part ? [[row.pk, position]] : [])),
    )
    const search = searches[part]
    if (positions.size === 0 || search === undefined) continue
    const { plan } = search
    const recordText = recordSql(record)
    const visible = visibleSql(plan.visibility, plan.version)
    const found = await session.queryBytes(
      `SELECT o.pk, ${recordText.sql} FROM ${objectTable(plan.table.table)} AS o
       WHERE o.pk = ANY(?::text[]) AND ${visible.sql}`,
      [...recordText.values, arrayText('text', [...positions.keys()]), ...visible.values],
    )
    for (const [pk, bytes] of found) {
      const position = pk && positions.get(pk.toString())
      if (typeof position === 'number' && bytes) records[position] = Uint8Array.from(bytes)
    }
    freeRows(found)
  }
  return joinRecords(records)
}

async function countParts(session: Session, searches: readonly PartSearch[]): Promise<number> {
  let total = 0
  for (const { plan, condition, matching } of searches) {
    total += (await countTotal(session, plan, condition, matching)) ?? 0
  }
  return total
}
