/**
 * Executes page plans. Everything that a page depends on (the latest version, the count, the rows,
 * whether more follow) is read in one transaction, so it belongs to one moment.
 */

import { toColumnValue } from '../../../query/compared-value.ts'
import type { ReadPageRequest, Reclaimed, StoredPage } from '../../object-store.ts'
import { ownBytes, type PageCache } from '../../page-cache.ts'
import { ReadTimer, type RequestContext, withReport } from '../../port/request-context.ts'
import { compareProperty } from '../../sql/compile/property-sql.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { countFitting, toleratesOldDefinition } from '../../sql/plan/plan-rules.ts'
import {
  readVersions,
  type TypeHead,
  type TypeVersion,
  type TypeVersions,
  visibilityValues,
} from '../catalogue/type-head.ts'
import type { StatementCache } from '../file/sqlite-session.ts'
import { type RowSearch, resolveCursor } from '../queries/find-rows.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import { type FoundRowsPlan, findMatches } from './find-matches.ts'
import {
  followerKey,
  followerSql,
  pageKey,
  pageSql,
  recordSizesSql,
  type WalkedRows,
} from './page-sql.ts'
import { type PagePlan, planPage } from './plan-page.ts'
import { readListed } from './read-listed.ts'
import { rowStatistics } from './row-statistics.ts'

type WalkPlan = PagePlan & { kind: 'keyWalk' | 'valueWalk' }

/** Reads a page, however long it takes. For reader processes. */
export function readPage(
  connection: ReadConnection,
  request: ReadPageRequest,
): StoredPage | Reclaimed {
  const timer = new ReadTimer()
  return inReadTransaction(connection, () => {
    const head = connection.heads.read(request.objectType)
    const versions = readVersions(
      connection.statements,
      request,
      head,
      toleratesOldDefinition(request),
    )
    if (versions === 'reclaimed') return versions
    const plan = planPage(request, ownVersion(versions, request), { thread: 'reader' })
    timer.planned()
    const page = runPlan(connection, request, { head, versions }, plan)
    return withReport(page, timer, plan.kind)
  })
}

/** Reads a page from the cache or the database; undefined if a reader process must read it. */
export function readQuickPage(
  connection: ReadConnection,
  request: ReadPageRequest,
  context: RequestContext,
  cache: PageCache,
): StoredPage | Reclaimed | undefined {
  const timer = new ReadTimer()
  return inReadTransaction(connection, () => {
    const head = connection.heads.read(request.objectType)
    context.cachedIdentity?.verify({ catalogue: head.generation })
    const versions = readVersions(
      connection.statements,
      request,
      head,
      toleratesOldDefinition(request),
    )
    if (versions === 'reclaimed') return versions
    const state = ownVersion(versions, request)
    const cached = cache.find(request, state.version)
    if (cached !== undefined) return cached
    const statistics = () => rowStatistics(connection, request, head, state.table)
    const plan = planPage(request, state, { thread: 'main', statistics })
    if (plan.thread !== 'main') return undefined
    timer.planned()
    const page = runPlan(connection, request, { head, versions }, plan)
    return page === 'reclaimed' ? page : cache.keep(request, withReport(page, timer, plan.kind))
  })
}

/** The state of the request's type, and the versions of all types that it reads. */
interface PageTypes {
  readonly head: TypeHead
  readonly versions: TypeVersions
}

/** Returns the version of the request's own type. */
export function ownVersion(versions: TypeVersions, { objectType }: ReadPageRequest): TypeVersion {
  const version = versions.get(objectType.rid)
  if (version === undefined) throw new Error(`no version of ${objectType.apiName} was read`)
  return version
}

/** Returns the versions of the other types, in the order of `linkedTypesOf`. */
function linkedVersions(versions: TypeVersions): Pick<StoredPage, 'linkedVersions'> {
  if (versions.size === 1) return {}
  return { linkedVersions: [...versions.values()].slice(1).map(({ version }) => version) }
}

/** Executes a plan. Must be called in the transaction that read the types. */
export function runPlan(
  connection: ReadConnection,
  request: ReadPageRequest,
  types: PageTypes,
  plan: PagePlan,
): StoredPage | Reclaimed {
  switch (plan.kind) {
    case 'noTable':
      return { ...emptyPage(plan.version), ...linkedVersions(types.versions) }
    case 'keyWalk':
      return walk(connection.statements, request, plan)
    case 'valueWalk':
      return walk(connection.statements, request, plan, equalityOf(connection, types, plan))
    default:
      return readFoundRows(connection, request, types, plan)
  }
}

/** Compiles one equality, without what only other conditions need. */
function equalityOf(
  { fields }: ReadConnection,
  { head }: PageTypes,
  { equality, table }: PagePlan & { kind: 'valueWalk' },
): SqlCondition {
  const { property, structField } = equality.field
  const numbers = fields.read(head, table.layout)
  return compareProperty(
    numbers.propertySql(property, structField),
    equality.operator,
    toColumnValue(equality.value),
  )
}

function emptyPage(version: number): StoredPage {
  const counts = { count: 0, totalCount: 0, matchEstimate: 0 }
  return { ...ownBytes(null), ...counts, last: undefined, more: false, version }
}

/** Reads the rows that an index supplies in key order: all of a table, or those of a condition. */
function walk(
  statements: StatementCache,
  { after, maxObjects, record, includeRowIds = false }: ReadPageRequest,
  { kind, table: { table, liveCount }, visibility, version, budget }: WalkPlan,
  condition?: SqlCondition,
): StoredPage {
  const rows = { table, visibility, condition: condition?.sql }
  const rowValues = [...visibilityValues(visibility, version), ...(condition?.values ?? [])]
  const afterKey = after?.pk ?? ''
  const fitting = countFitting(budget, maxObjects, () =>
    statements.prepare(recordSizesSql(rows)).iterate(...rowValues, afterKey, maxObjects),
  )
  const limit = fitting.count
  const { statement, values } = statements.prepareByKey(pageKey(rows, record, includeRowIds), () =>
    pageSql(rows, record, includeRowIds),
  )
  const row = statement.get(...values, ...rowValues, afterKey, limit)
  const [records, lastKey, count, rowIds] = row as WalkedPage

  // A page that is not full is the last one; after a full page, one more row decides.
  const more =
    !fitting.isEnd &&
    count === limit &&
    hasFollower(statements, rows, [...rowValues, lastKey ?? afterKey])
  return {
    ...ownBytes(records),
    count,
    last: lastKey === null ? undefined : { pk: lastKey, version: 0 },
    more,
    version,
    totalCount: kind === 'keyWalk' ? liveCount : undefined,
    rowIds: rowIds ?? undefined,
    matchEstimate: undefined,
  }
}

type WalkedPage = readonly [
  records: Uint8Array | null,
  lastKey: string | null,
  count: number,
  rowIds?: string | null,
]

/** Returns whether a row follows a key, which is the last of the values. */
function hasFollower(
  statements: StatementCache,
  rows: WalkedRows,
  values: SqlCondition['values'],
): boolean {
  const write = () => ({ sql: followerSql(rows), values: [] })
  const { statement } = statements.prepareByKey(followerKey(rows), write)
  return statement.get(...values) !== undefined
}

function rowSearch(
  { fields }: ReadConnection,
  { objectType, query, order }: ReadPageRequest,
  { head, versions }: PageTypes,
  { version, visibility, table: { table, layout } }: PagePlan,
): RowSearch {
  const numbers = fields.read(head, layout)
  const visibleValues = visibilityValues(visibility, version)
  return { table, objectType, numbers, query, order, visibility, visibleValues, versions }
}

/** Finds the ids of rows first, and then reads the records that fit. */
function readFoundRows(
  connection: ReadConnection,
  request: ReadPageRequest,
  types: PageTypes,
  plan: FoundRowsPlan,
): StoredPage | Reclaimed {
  const { statements } = connection
  const { maxObjects, record, includeRowIds = false } = request
  const search = rowSearch(connection, request, types, plan)
  const cursor = request.after && resolveCursor(statements, search, types.head, request.after)
  if (request.after !== undefined && cursor === undefined) return 'reclaimed'

  const { rows, totalCount, matchEstimate } = findMatches(connection, request, plan, search, cursor)
  const page = readListed(statements, {
    table: plan.table.table,
    by: 'id',
    list: rows.slice(0, maxObjects),
    rowValues: [],
    record,
    budget: plan.budget,
    includeRowIds,
  })
  if (page === undefined) throw new Error('a row that was found does not exist')
  return {
    ...page,
    more: rows.length > page.count,
    version: plan.version,
    ...linkedVersions(types.versions),
    totalCount,
    matchEstimate,
  }
}
