/**
 * Reads a page in several statements of one transaction. Everything that a page depends on (the
 * latest version, the count, the rows, whether more follow) then belongs to one moment.
 */
import type { ReadPageRequest, Reclaimed, StoredPage } from '../../object-store.ts'
import { ReadTimer, withReport } from '../../port/request-context.ts'
import { orderBranches, orderColumn } from '../../sql/compile/keyset-sql.ts'
import { combine, type SqlCondition } from '../../sql/compile/sql-condition.ts'
import {
  hasFewMatches,
  isKeyWalk,
  readableVersion,
  toleratesOldDefinition,
} from '../../sql/plan/plan-rules.ts'
import { type TypeHead, tableOfVersion } from '../catalogue/type-head.ts'
import type { ByteRow } from '../driver/byte-rows.ts'
import type { Session } from '../driver/database.ts'
import {
  countCurrentSql,
  countRows,
  countSql,
  countVersionSql,
  estimateRows,
  readQuerySql,
  resolveCursor,
} from '../queries/find-rows.ts'
import {
  HIDDEN_VALUES,
  type LinksStore,
  PLAIN_VALUES,
  readLinkedTables,
  type TypeFields,
  visibleSql,
} from '../queries/queried-types.ts'
import {
  bytesUpTo,
  fittingRows,
  type PageRows,
  type PageRowsSpec,
  pageSql,
  toPageRows,
} from './page-sql.ts'
import { type PagePlan, planPage } from './plan-page.ts'
import { valueWalkRows } from './value-walk.ts'

type KeyWalkPlan = PagePlan & { kind: 'keyWalk' }
type WalkPlan = PagePlan & { kind: 'keyWalk' | 'valueWalk' }
type RowSearch = Exclude<PagePlan, WalkPlan>

/**
 * Reads a page. Must be called in the transaction that read the head. Only the page of a single type
 * may be read from a table of an earlier definition: those of several types can be views.
 */
export async function readPage(
  session: Session,
  request: ReadPageRequest,
  head: TypeHead,
  store: LinksStore,
  isOfOneType = false,
): Promise<StoredPage | Reclaimed> {
  const timer = new ReadTimer()
  const { capabilities } = store
  const version = readableVersion(request, head)
  if (version === undefined) return 'reclaimed'
  const table = await tableOfVersion(session, head, version, {
    objectType: request.objectType,
    toleratesOldDefinition: isOfOneType && toleratesOldDefinition(request),
  })
  const state = { version, isLatest: version === head.published, table }
  const fields = isKeyWalk(request)
    ? undefined
    : await store.fields.read(session, head, request.objectType, table)
  const plan = planPage(request, state, { ...capabilities, fields })
  timer.planned()
  const page = await runPlan(session, request, head, plan, fields, store)
  return withReport(page, timer, plan.kind)
}

async function runPlan(
  session: Session,
  request: ReadPageRequest,
  head: TypeHead,
  plan: PagePlan,
  fields: TypeFields | undefined,
  store: LinksStore,
): Promise<StoredPage | Reclaimed> {
  if (plan.kind === 'keyWalk' || plan.kind === 'valueWalk') {
    const page = await readRows(session, request, plan, [walkRows(request, plan, fields)], store)
    const { version, table } = plan
    const isKeyWalk = plan.kind === 'keyWalk'
    return {
      ...page,
      version,
      totalCount: isKeyWalk ? table.liveCount : undefined,
      matchEstimate: isKeyWalk ? undefined : request.matchEstimate,
    }
  }
  if (fields === undefined) throw new Error('only a key walk needs no fields')
  return readFoundRows(session, request, head, plan, fields, store)
}

/** Selects the rows of a walk: of all objects in key order, or of those with one value. */
export function walkRows(
  request: Pick<ReadPageRequest, 'after'>,
  plan: WalkPlan,
  fields: TypeFields | undefined,
): PageRowsSpec {
  if (plan.kind === 'keyWalk') return keyWalkRows(request, plan)
  if (fields === undefined) throw new Error('only a key walk needs no fields')
  return valueWalkRows(plan.equality, request.after, plan, fields)
}

/** Selects the rows of a page in key order. */
export function keyWalkRows(
  { after }: Pick<ReadPageRequest, 'after'>,
  { visibility, version, hideValues }: Pick<KeyWalkPlan, 'visibility' | 'version' | 'hideValues'>,
): PageRowsSpec {
  const placeholders = hideValues ? HIDDEN_VALUES : PLAIN_VALUES
  const afterKey = { sql: `o.pk > ${placeholders.text}`, values: [after?.pk ?? ''] }
  const visible = visibleSql(visibility, version, placeholders)
  return { where: combine('and', [visible, afterKey]), orderBy: 'o.pk', isKeyOrder: true }
}

async function readFoundRows(
  session: Session,
  request: ReadPageRequest,
  head: TypeHead,
  plan: RowSearch,
  fields: TypeFields,
  store: LinksStore,
): Promise<StoredPage | Reclaimed> {
  const { query, order, after } = request
  const { version, visibility } = plan
  const cursor = after && (await resolveCursor(session, request, fields.numbers, head, after))
  if (after !== undefined && cursor === undefined) return 'reclaimed'

  const links = await readLinkedTables(session, request, { head, version }, store)
  if (links === 'reclaimed') return links
  const condition = await readQuerySql(session, query, fields, links)
  const matching = combine('and', [visibleSql(visibility, version), condition])
  const totalCount = await countTotal(session, plan, condition, matching)
  const matches = totalCount ?? (await estimateMatches(session, plan, matching))
  const columns = order.map((term) => orderColumn(term, fields.numbers))
  const branches = orderBranches(columns, cursor).map((branch) => ({
    where: combine('and', [matching, branch]),
    // The expression stops the database from walking the key index to avoid the sort.
    orderBy: hasFewMatches(plan, matches) ? `o.pk || ''` : branch.orderBy,
    isKeyOrder: false,
  }))
  const page = await readRows(session, request, plan, branches, store)
  const linkedVersions = links.versions.length > 0 ? { linkedVersions: links.versions } : {}
  return { ...page, version, ...linkedVersions, totalCount, matchEstimate: matches }
}

/** Counts the matches, if the plan says so. */
export async function countTotal(
  session: Session,
  plan: PagePlan,
  condition: SqlCondition,
  matching: SqlCondition,
): Promise<number | undefined> {
  if (plan.totalCount === 'live') return plan.table.liveCount
  if (plan.totalCount === 'countVisible') return countRows(session, plan.table.table, matching)
  const count = totalCountSql(plan, condition, matching)
  if (count === undefined) return undefined
  const [row] = await session.query(`SELECT ${count.sql}`, count.values)
  return Number(row?.[0])
}

/** Returns the number of matches as SQL, if the plan says that they are counted. */
export function totalCountSql(
  { totalCount, visibility, version, table }: PagePlan,
  condition: SqlCondition,
  matching: SqlCondition,
): SqlCondition | undefined {
  if (totalCount === 'countVisible') return countSql(table.table, matching)
  if (totalCount !== 'subtractClosed') return undefined
  return visibility === 'current'
    ? countCurrentSql(table.table, condition)
    : countVersionSql(table, version, condition)
}

async function estimateMatches(
  session: Session,
  plan: RowSearch,
  matching: SqlCondition,
): Promise<number | undefined> {
  if (plan.kind !== 'sortFewMatches') return undefined
  const { table, fewMatches, matchEstimate } = plan
  return matchEstimate ?? estimateRows(session, table.table, matching, fewMatches + 1)
}

/** Reads the rows of several queries, one after the other, until the page is full. */
async function readRows(
  session: Session,
  { record, maxObjects }: ReadPageRequest,
  { table, budget, prepared }: PagePlan,
  queries: readonly PageRowsSpec[],
  { capabilities: { isDistributed } }: LinksStore,
): Promise<PageRows> {
  const pageRows: ByteRow[] = []
  for (const query of queries) {
    const remaining = maxObjects - pageRows.length
    const { sql, values } = pageSql({
      ...query,
      table: table.table,
      record,
      maxObjects: remaining,
      budget: budget && {
        ...budget,
        maxBytes: budget.maxBytes - bytesUpTo(pageRows.at(-1)),
        includeFirst: pageRows.length === 0,
      },
      isDistributed,
    })
    const rows = await session.queryBytes(sql, values, { isPrepared: prepared })
    const fitting = fittingRows(rows, remaining)
    pageRows.push(...fitting)
    if (fitting.length < rows.length) return toPageRows(pageRows, true, record)
  }
  return toPageRows(pageRows, false, record)
}
