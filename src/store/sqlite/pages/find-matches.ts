/** Executes the part of a page plan that finds the rows of a query. */
import type { ReadPageRequest, StoredPage } from '../../object-store.ts'
import type { KeysetCursor } from '../../sql/order-sql.ts'
import { hasFewMatches, type RowSearchPlan } from '../../sql/plan-rules.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import {
  countCurrentRows,
  countVisibleRows,
  estimateRows,
  findRows,
  gatherFew,
  probeLinks,
  queryTables,
  type RowSearch,
} from '../queries/find-rows.ts'
import type { QueryTables } from '../queries/query-sql.ts'
import type { ReadConnection } from '../threads/read-connection.ts'
import type { PagePlan, RowsPlan } from './plan-page.ts'

export type FoundRowsPlan = PagePlan & RowsPlan

export interface Matches extends Pick<StoredPage, 'totalCount' | 'matchEstimate'> {
  /** The ids of the page's rows, and of one more if there is one. */
  readonly rows: readonly number[]
}

/** Finds and counts the matches of a page, as its plan says. */
export function findMatches(
  connection: ReadConnection,
  { maxObjects, matchEstimate }: ReadPageRequest,
  plan: FoundRowsPlan,
  search: RowSearch,
  cursor: KeysetCursor | undefined,
): Matches {
  const { statements, lists } = connection
  const tables = queryTables(connection, search)
  const totalCount = countTotal(statements, search, tables, plan)
  const searchPlan = plan.kind === 'matchList' ? plan.unlisted : plan
  const few = searchPlan.kind === 'sortFewMatches' ? searchPlan.fewMatches : 0
  const fewTables = gatherFew(tables, statements, few)
  const limit = maxObjects + 1
  if (plan.kind === 'matchList' && cursor !== undefined) {
    const rows = lists.rowsAfter(statements, search, fewTables, {
      version: plan.version,
      afterKey: cursor.pk,
      limit,
      sortMatches: plan.unlisted.kind === 'sortFewMatches',
    })
    if (rows !== undefined) return { rows, totalCount, matchEstimate: totalCount ?? matchEstimate }
  }
  const matches = totalCount ?? estimateMatches(statements, search, fewTables, searchPlan)
  const sortMatches = hasFewMatches(searchPlan, matches)
  const pageTables = sortMatches ? fewTables : probeLinks(tables)
  const rows = findRows(statements, search, pageTables, { cursor, limit, sortMatches })
  return { rows, totalCount, matchEstimate: matches }
}

function countTotal(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  { totalCount, table: { liveCount } }: FoundRowsPlan,
): number | undefined {
  switch (totalCount) {
    case 'live':
      return liveCount
    case 'countVisible':
      return countVisibleRows(statements, search, tables)
    case 'subtractClosed':
      return countCurrentRows(statements, search, tables)
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
  if (plan.kind === 'indexWalk') return undefined
  return plan.matchEstimate ?? estimateRows(statements, search, tables, plan.fewMatches + 1)
}
