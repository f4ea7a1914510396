/** Executes the part of a page plan that finds the rows of a query. */
import type { ReadPageRequest, StoredPage } from '../../object-store.ts'
import type { KeysetCursor } from '../../sql/compile/keyset-sql.ts'
import { hasFewMatches, type RowSearchPlan } from '../../sql/plan/plan-rules.ts'
import type { StatementCache } from '../file/sqlite-session.ts'
import {
  countCurrentRows,
  countVisibleRows,
  estimateRows,
  findRows,
  type RowSearch,
} from '../queries/find-rows.ts'
import { maxMatches } from '../queries/indexed-query.ts'
import { hasTests } from '../queries/query-sql.ts'
import { type QueryTables, queryTables } from '../queries/query-tables.ts'
import type { ReadConnection } from '../queries/read-connection.ts'
import type { PagePlan } from './plan-page.ts'

export type FoundRowsPlan = PagePlan & RowSearchPlan

export interface Matches extends Pick<StoredPage, 'totalCount' | 'matchEstimate'> {
  /** The ids of the page's rows, and of one more if there is one. */
  readonly rows: readonly number[]
}

/** Finds and counts the matches of a page, as its plan says. */
export function findMatches(
  connection: ReadConnection,
  { maxObjects }: ReadPageRequest,
  plan: FoundRowsPlan,
  search: RowSearch,
  cursor: KeysetCursor | undefined,
): Matches {
  const { statements } = connection
  const tables = queryTables(connection, search)
  const isCounted = plan.totalCount !== 'omitted' && cursor === undefined
  if (isCounted && hasTests(search.query, tables)) {
    // Each row has to be tested for the count, which finds the rows of the page, too.
    const all = { cursor, limit: Number.MAX_SAFE_INTEGER, sortMatches: false }
    const rows = findRows(statements, search, tables, all)
    const { length } = rows
    return { rows: rows.slice(0, maxObjects + 1), totalCount: length, matchEstimate: length }
  }
  const totalCount = countTotal(statements, search, tables, plan)
  const matches = totalCount ?? estimateMatches(statements, search, tables, plan)
  const sortMatches = hasFewMatches(plan, matches)
  const rows = findRows(statements, search, tables, { cursor, limit: maxObjects + 1, sortMatches })
  return { rows, totalCount, matchEstimate: matches }
}

/** Counts the matches, if the plan says so. */
export function countTotal(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  { totalCount, table: { liveCount } }: Pick<PagePlan, 'totalCount' | 'table'>,
): number | undefined {
  switch (totalCount) {
    case 'live':
      return liveCount
    case 'countVisible':
      return countVisibleRows(statements, search, tables)
    case 'subtractClosed':
      return hasTests(search.query, tables)
        ? countVisibleRows(statements, search, tables)
        : countCurrentRows(statements, search, tables)
    case 'omitted':
      return undefined
  }
}

function estimateMatches(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  plan: RowSearchPlan,
): number | undefined {
  if (plan.kind !== 'sortFewMatches') return undefined
  const { matchEstimate, fewMatches } = plan
  if (matchEstimate !== undefined) return matchEstimate
  const maximum = maxMatches(search.query, search.objectType)
  return maximum <= fewMatches ? maximum : estimateRows(statements, search, tables, fewMatches + 1)
}
