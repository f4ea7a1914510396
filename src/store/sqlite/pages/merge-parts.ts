/**
 * Reads a page that merges several object types in one order. The database merges the first rows of
 * each part by their order columns; records are read only for the rows of the page.
 */
import { bytesOfShape } from '../../../contract/object-record.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { Reclaimed } from '../../object-store.ts'
import { partRequest, type ReadSetPageRequest, type StoredSetPage } from '../../set-page.ts'
import {
  countFittingSizes,
  cursorOfPart,
  mergedColumns,
  mergedOrder,
  partColumns,
} from '../../sql/compile/merge-order.ts'
import { orderBranches } from '../../sql/compile/order-sql.ts'
import type { BoundValue, SqlCondition, SqlValue } from '../../sql/compile/sql-condition.ts'
import { joinRecords } from '../../sql/plan/part-walk.ts'
import { type TypeHead, tableOfRow } from '../catalogue/type-head.ts'
import type { RowSearch } from '../queries/find-rows.ts'
import { readVersions } from '../queries/linked-tables.ts'
import { querySql } from '../queries/query-sql.ts'
import { queryTables } from '../queries/query-tables.ts'
import type { ReadConnection } from '../queries/read-connection.ts'
import { LIMIT, VISIBLE, visibilityValues } from '../queries/visible-rows.ts'
import { countTotal } from './find-matches.ts'
import { recordsSql, rowSizesSql } from './page-sql.ts'
import { type PagePlan, planPage } from './plan-page.ts'
import { ownVersion, readCursor } from './read-page.ts'

/** One part of the page, ready to be searched. */
interface PartSearch {
  readonly part: number
  readonly plan: PagePlan
  readonly search: RowSearch
}

interface MergedRow {
  readonly part: number
  readonly id: number
}

/** Reads a page. Must be called in the transaction that read the heads. */
export function readMergedPage(
  connection: ReadConnection,
  request: ReadSetPageRequest,
  heads: readonly TypeHead[],
  versions: readonly number[],
): StoredSetPage | Reclaimed {
  const searches = searchParts(connection, request, heads)
  const cursorValues = readCursorValues(connection, request, heads)
  if (searches === undefined || cursorValues === 'reclaimed') return 'reclaimed'

  const created = searches.filter(({ plan }) => plan.table.isCreated)
  const found = findMerged(connection, request, created, cursorValues)
  const candidates = found.slice(0, request.maxObjects)
  const rows = candidates.slice(0, countFitting(connection, request, searches, candidates))
  const last = rows.at(-1)
  const cursor = last && readCursor(connection.statements, tableOf(searches, last.part), last.id)
  return {
    ...readRecords(connection, request, searches, rows),
    count: rows.length,
    last: last && cursor && { ...cursor, part: last.part },
    more: found.length > rows.length,
    versions,
    totalCount: request.includeTotalCount ? countParts(connection, searches) : undefined,
  }
}

function searchParts(
  connection: ReadConnection,
  request: ReadSetPageRequest,
  heads: readonly TypeHead[],
): PartSearch[] | undefined {
  const searches: PartSearch[] = []
  for (const [index, part] of request.parts.entries()) {
    const head = heads[index]
    const pageRequest = partRequest(request, part)
    const versions = head && readVersions(connection.statements, pageRequest, head)
    if (head === undefined || versions === undefined || versions === 'reclaimed') return undefined
    const plan = planPage(pageRequest, ownVersion(versions, pageRequest), { thread: 'reader' })
    const { objectType, query } = pageRequest
    const search = {
      table: plan.table.table,
      objectType,
      numbers: connection.fields.read(head, plan.table.layout),
      query,
      order: [],
      visibility: plan.visibility,
      visibleValues: visibilityValues(plan.visibility, plan.version),
      versions,
    }
    searches.push({ part: index, plan, search })
  }
  return searches
}

/** Looks up the order values of the row that the previous page ended with. */
function readCursorValues(
  { statements, fields }: ReadConnection,
  { order, after, parts }: ReadSetPageRequest,
  heads: readonly TypeHead[],
): readonly (SqlValue | null)[] | undefined | Reclaimed {
  const head = after && heads[after.part]
  const part = after && parts[after.part]
  if (after === undefined || head === undefined || part === undefined) return undefined
  const table = tableOfRow(statements, head, after.version, part.objectType)
  if (table === undefined) return 'reclaimed'
  const columns = partColumns(order, after.part, fields.read(head, table.layout), () => 'NULL')
  const statement = statements.prepare(
    `SELECT ${mergedColumns(columns)} FROM ${objectTable(table.table)} AS o
     WHERE pk = ? AND valid_from = ?`,
  )
  statement.setReadBigInts(true)
  const row = statement.get(after.pk, after.version)
  return (row as unknown as (SqlValue | null)[] | undefined) ?? 'reclaimed'
}

/** Returns the rows of the page in order, and one more if there is one. */
function findMerged(
  connection: ReadConnection,
  { order, after, maxObjects }: ReadSetPageRequest,
  searches: readonly PartSearch[],
  cursorValues: readonly (SqlValue | null)[] | undefined,
): MergedRow[] {
  if (searches.length === 0) return []
  const limit = maxObjects + 1
  const branches = searches.flatMap(({ part, search }) => {
    const columns = partColumns(order, part, search.numbers, () => 'NULL')
    const condition = querySql(search.query, {
      ...queryTables(connection, search),
      // An index has the order of the page, so each type is read up to the limit.
      expectsFewRows: true,
    })
    const cursor = after && cursorValues && cursorOfPart(after, cursorValues, part)
    return orderBranches(columns, cursor).map(
      (branch): SqlCondition => ({
        sql: `SELECT * FROM (
          SELECT ${part} AS part, o.id AS id, o.pk AS pk, ${mergedColumns(columns)}
          FROM ${objectTable(search.table)} AS o
          WHERE ${VISIBLE[search.visibility]} AND ${condition.sql} AND ${branch.sql}
          ORDER BY ${branch.orderBy} ${LIMIT})`,
        values: [...search.visibleValues, ...condition.values, ...branch.values, limit],
      }),
    )
  })
  const values: BoundValue[] = [...branches.flatMap((branch) => branch.values), limit]
  const rows = connection.statements
    .prepare(
      `SELECT part, id FROM (${branches.map(({ sql }) => sql).join(' UNION ALL ')})
       ORDER BY ${mergedOrder(order)} ${LIMIT}`,
    )
    .all(...values)
  return (rows as unknown as [number, number][]).map(([part, id]) => ({ part, id }))
}

function countFitting(
  { statements }: ReadConnection,
  { parts, maxBytes }: ReadSetPageRequest,
  searches: readonly PartSearch[],
  rows: readonly MergedRow[],
): number {
  if (searches.every(({ plan }) => plan.budget === undefined)) return rows.length
  const sizes = new Array<number>(rows.length).fill(0)
  for (const [part, { record }] of parts.entries()) {
    const positions = positionsOf(rows, part)
    if (positions.length === 0) continue
    const ids = JSON.stringify(positions.map((position) => rows[position]?.id))
    const overhead = bytesOfShape(record.shape)
    const statement = statements.prepare(rowSizesSql(tableOf(searches, part)))
    for (const [index, row] of statement.all(ids).entries()) {
      const position = positions[index]
      if (position !== undefined) {
        sizes[position] = Number((row as unknown as [number])[0]) + overhead
      }
    }
  }
  return countFittingSizes(sizes, maxBytes)
}

function readRecords(
  { statements }: ReadConnection,
  { parts }: ReadSetPageRequest,
  searches: readonly PartSearch[],
  rows: readonly MergedRow[],
): Pick<StoredSetPage, 'records' | 'release'> {
  const records = new Array<Uint8Array>(rows.length)
  for (const [part, { record }] of parts.entries()) {
    const positions = positionsOf(rows, part)
    if (positions.length === 0) continue
    const ids = JSON.stringify(positions.map((position) => rows[position]?.id))
    const { sql, values } = recordsSql(tableOf(searches, part), record)
    for (const [index, row] of statements
      .prepare(sql)
      .all(...values, ids)
      .entries()) {
      const position = positions[index]
      if (position !== undefined) records[position] = (row as unknown as [Uint8Array])[0]
    }
  }
  return joinRecords(records)
}

function positionsOf(rows: readonly MergedRow[], part: number): number[] {
  return rows.flatMap((row, position) => (row.part === part ? position : []))
}

function tableOf(searches: readonly PartSearch[], part: number): number {
  const search = searches[part]?.search
  if (search === undefined) throw new Error(`no part ${part}`)
  return search.table
}

function countParts(connection: ReadConnection, searches: readonly PartSearch[]): number {
  return searches.reduce((total, { plan, search }) => {
    if (!plan.table.isCreated) return total
    const tables = queryTables(connection, search)
    return total + (countTotal(connection.statements, search, tables, plan) ?? 0)
  }, 0)
}
