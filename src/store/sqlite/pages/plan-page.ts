/**
 * Decides how SQLite reads a page. Every heuristic of this store is here, except for the SQL that
 * steers SQLite's own planner; `read-page.ts` executes the plan. Every statement is prepared.
 */
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import type { Query } from '../../../query/query.ts'
import type { TableLayout } from '../../core/catalogue/build-table.ts'
import type { ReadPageRequest } from '../../object-store.ts'
import {
  type ByteBudget,
  byteBudget,
  fewMatches,
  isIndexedComparison,
  isKeyWalk,
  isLongEquality,
  isQuick,
  type RowSearchPlan,
  type TotalCountPolicy,
  totalCountPolicy,
  type VersionState,
  type Visibility,
} from '../../sql/plan/plan-rules.ts'
import type { TableHead } from '../catalogue/type-head.ts'
import { isIndexed, isKeyOrdered } from '../queries/indexed-query.ts'

/** Invisible rows that a page may skip on the main thread, which takes a few milliseconds. */
const MAX_SKIPPED_ROWS = 50_000
/** Row versions with one value that a page may filter on the main thread: half a millisecond. */
const MAX_EQUAL_ROWS = 5000
/** Rows with one prefix whose whole text a page may compare on the main thread. */
const MAX_CANDIDATES = 1000
/** Row versions that match a condition, which the main thread may sort: less than a millisecond. */
const MAX_SORTED_ROWS = 250
/** Rows that a page may test for a value that no index has, on the main thread: a millisecond. */
const MAX_TESTED_ROWS = 5000
/** The largest share of closed rows at which counting and subtracting them pays. */
const MAX_CLOSED_SHARE = 1 / 10

export type PagePlan = PlanBase &
  /** Finds the ids of rows first, and then reads the records that fit. */
  (
    | RowSearchPlan
    /** Every object in key order: one statement returns the whole page. */
    | { readonly kind: 'keyWalk' }
    /** The objects with one value of a property, in key order, by an index of it or of the key. */
    | { readonly kind: 'valueWalk'; readonly equality: Equality }
    /** The table is created with the first object, and does not exist yet. */
    | { readonly kind: 'noTable' }
  )

/** A condition that a property has a value. */
type Equality = Query & { readonly kind: 'compare' }

interface PlanBase {
  readonly version: number
  readonly visibility: Visibility
  readonly table: TableHead
  readonly totalCount: TotalCountPolicy
  /** Slow pages are read in a reader process, so that they cannot block the main thread. */
  readonly thread: 'main' | 'reader'
  /** Undefined if the records need no measuring. */
  readonly budget: ByteBudget | undefined
}

/** Where the plan is made. Only the main thread has to find out whether a page is slow. */
export type PlanSite =
  | { readonly thread: 'reader' }
  | { readonly thread: 'main'; readonly statistics: () => RowStatistics }

/** Figures that the planner looks up if it needs them; each takes a short index scan. */
export interface RowStatistics {
  /** Counts the rows that were written after a version; infinite after too many commits. */
  readonly countRowsAfter: (version: number) => number
  /** Counts the row versions, visible or not, that match the query, up to a limit. */
  readonly countRowVersions: (limit: number) => number
  /** Counts the row versions that an index finds for an equality, up to a limit. */
  readonly countCandidates: (equality: Equality, limit: number) => number
  /** Counts the rows with a value, up to a limit, among so many rows from the page's cursor on. */
  readonly countNear: (equality: Equality, limit: number, rows: number) => number
}

/** Returns the plan of a page. It is pure, apart from the figures that the site looks up. */
export function planPage(
  request: ReadPageRequest,
  state: VersionState<TableHead>,
  site: PlanSite,
): PagePlan {
  const { version, isLatest, table } = state
  const isMain = site.thread === 'main'
  const isQuickPage = isMain && isMainThreadPage(request, state, site.statistics)
  const hasFew = isMain && !isQuickPage && hasFewMatches(request, state, site.statistics)
  const base: PlanBase = {
    version,
    visibility: isLatest ? 'current' : 'version',
    table,
    totalCount: totalCountPolicy(request, {
      canSubtractClosed: isLatest && !hasFew && hasFewClosedRows(table),
    }),
    thread: isQuickPage || hasFew ? 'main' : 'reader',
    budget: byteBudget(request, table),
  }
  if (!table.isCreated) return { ...base, kind: 'noTable' }
  if (isKeyWalk(request)) return { ...base, kind: 'keyWalk' }
  const { query, order, objectType } = request
  const isValueWalk = order.length === 0 && base.totalCount === 'omitted'
  if (isValueWalk && query.kind === 'compare' && isKeyOrdered(query, objectType)) {
    return { ...base, kind: 'valueWalk', equality: query }
  }
  return { ...base, ...planSearch(request, table) }
}

function hasFewClosedRows({ closedCount, liveCount }: TableHead): boolean {
  return closedCount <= liveCount * MAX_CLOSED_SHARE
}

function planSearch(request: ReadPageRequest, { liveCount, layout }: TableHead): RowSearchPlan {
  const { query, order, objectType, maxObjects, matchEstimate } = request
  const { unindexedFields } = layout
  const isWalk =
    isKeyOrdered(query, objectType, unindexedFields) ||
    !isIndexed(query, objectType, unindexedFields)
  if (order.length > 0 || isWalk) return { kind: 'indexWalk' }
  // The matches of ids are gathered in any case. Otherwise the best plan depends on their number.
  const few = isFoundById(query) ? Infinity : fewMatches(maxObjects, liveCount)
  return { kind: 'sortFewMatches', fewMatches: few, matchEstimate }
}

function isFoundById(query: Query): boolean {
  return query.kind === 'and' ? query.of.some(isFoundById) : query.kind === 'objectIds'
}

function isMainThreadPage(
  request: ReadPageRequest,
  state: VersionState<TableHead>,
  readStatistics: () => RowStatistics,
): boolean {
  const { isCreated, layout } = state.table
  if (!isCreated || (state.isLatest && isKeyWalk(request))) return true
  const statistics = readStatistics()
  const isQuickPage = isQuick(request, layout) || readsEquality(request, layout, statistics)
  return isQuickPage && !maySkipManyRows(request, state, statistics)
}

/**
 * True if the page has the rows of an equality that its index does not decide, but which are found
 * soon: few other rows have the same beginning of a text, or, without an index, enough of the next
 * rows have the value.
 */
function readsEquality(
  { query, order, includeTotalCount, maxObjects }: ReadPageRequest,
  { prefixFields, unindexedFields }: TableLayout,
  { countCandidates, countNear }: RowStatistics,
): boolean {
  if (includeTotalCount || order.length > 0 || query.kind !== 'compare') return false
  if (isLongEquality(query, prefixFields)) {
    return countCandidates(query, MAX_CANDIDATES + 1) <= MAX_CANDIDATES
  }
  const reason = unindexedFields.get(fieldKey(query.field))
  if (query.operator !== 'eq' || (reason !== 'fewValues' && reason !== 'added')) return false
  return countNear(query, maxObjects + 1, MAX_TESTED_ROWS) > maxObjects
}

/** True if one condition has few matches in all versions together, which its index finds. */
function hasFewMatches(
  request: ReadPageRequest,
  { table: { isCreated, layout } }: VersionState<TableHead>,
  readStatistics: () => RowStatistics,
): boolean {
  const { matchEstimate = 0 } = request
  if (!isCreated || matchEstimate > MAX_SORTED_ROWS) return false
  if (!isIndexedComparison(request, layout)) return false
  return readStatistics().countRowVersions(MAX_SORTED_ROWS + 1) <= MAX_SORTED_ROWS
}

/**
 * True if a page may skip many invisible rows. The index of the current rows in key order has no
 * others; every other index holds each row version that is not reclaimed yet.
 */
function maySkipManyRows(
  request: ReadPageRequest,
  { version, isLatest, table }: VersionState<TableHead>,
  { countRowsAfter, countRowVersions }: RowStatistics,
): boolean {
  const laterRows = isLatest ? 0 : countRowsAfter(version) + (table.stagedCount ?? 0)
  if (table.closedCount + laterRows <= MAX_SKIPPED_ROWS) return false
  const { query, objectType } = request
  const isIndexed = isKeyOrdered(query, objectType, table.layout.unindexedFields)
  const isEquality = query.kind === 'compare' && query.operator === 'eq' && isIndexed
  return !isEquality || countRowVersions(MAX_EQUAL_ROWS + 1) > MAX_EQUAL_ROWS
}
