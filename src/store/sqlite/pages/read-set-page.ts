/** Reads pages over several object types, in one transaction, so that all belong to one moment. */
import type { Reclaimed } from '../../object-store.ts'
import { ReadTimer, withReport } from '../../read-report.ts'
import { type ReadSetPageRequest, type StoredSetPage, typesOfSet } from '../../set-page.ts'
import { type PartStep, PartWalk } from '../../sql/plan/part-walk.ts'
import { readTypeHead, type TableHead, type TypeHead } from '../catalogue/type-head.ts'
import { readVersions } from '../queries/linked-tables.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import { readMergedPage } from './merge-parts.ts'
import { type PlanSite, planPage } from './plan-page.ts'
import { ownVersion, runPlan } from './read-page.ts'
import { rowStatistics } from './row-statistics.ts'

/** Reads a page, however long it takes. For reader processes. */
export function readSetPage(
  connection: ReadConnection,
  request: ReadSetPageRequest,
): StoredSetPage | Reclaimed {
  const timer = new ReadTimer()
  return inReadTransaction(connection, () => {
    const heads = readHeads(connection, request)
    const versions = request.versions ?? heads.map(({ published }) => published)
    const isMerged = request.order.length > 0
    const page = isMerged
      ? readMergedPage(connection, request, heads, versions)
      : walkParts(connection, request, heads, () => ({ thread: 'reader' }))
    if (page === undefined) throw new Error('a reader process can read every page')
    return withReport(page, timer, isMerged ? 'mergedParts' : 'parts')
  })
}

/** Reads a page on the main thread; undefined if a reader process must read it. */
export function readQuickSetPage(
  connection: ReadConnection,
  request: ReadSetPageRequest,
): StoredSetPage | Reclaimed | undefined {
  // A merge reads a page of each part.
  if (request.order.length > 0) return undefined
  const timer = new ReadTimer()
  return inReadTransaction(connection, () => {
    const heads = readHeads(connection, request)
    const page = walkParts(connection, request, heads, ({ request: step }, head, table) => ({
      thread: 'main',
      ...rowStatistics(connection, step, head, table),
    }))
    return page && withReport(page, timer, 'parts')
  })
}

/** Reads the state of all types of the page; those of the parts come first. */
function readHeads({ statements }: ReadConnection, { parts }: ReadSetPageRequest): TypeHead[] {
  return typesOfSet(parts).map((objectType) => readTypeHead(statements, objectType))
}

function walkParts(
  connection: ReadConnection,
  request: ReadSetPageRequest,
  heads: readonly TypeHead[],
  siteOf: (step: PartStep, head: TypeHead, table: TableHead) => PlanSite,
): StoredSetPage | Reclaimed | undefined {
  const walk = new PartWalk(request, request.versions ?? heads.map(({ published }) => published))
  for (let step = walk.next(); step !== undefined; step = walk.next()) {
    const head = heads[step.part]
    const versions = head && readVersions(connection.statements, step.request, head)
    if (head === undefined || versions === undefined || versions === 'reclaimed') {
      walk.abandon()
      return 'reclaimed'
    }
    const state = ownVersion(versions, step.request)
    const site = siteOf(step, head, state.table)
    const plan = planPage(step.request, state, site)
    const page =
      plan.thread === site.thread
        ? runPlan(connection, step.request, { head, versions }, plan)
        : undefined
    if (page === undefined || page === 'reclaimed') {
      walk.abandon()
      return page
    }
    walk.add(page)
  }
  return walk.finish()
}
