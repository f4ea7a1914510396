/**
 * Reads pages in as few round trips as possible. If the plan allows, one statement reads a page from
 * the table and fields that were seen last, see `SeenHeads`; on Citus, which cannot read rows and the
 * catalogue in one statement, it takes two.
 */

import type { ObjectType } from '../../../ontology/ontology.ts'
import { isOutdated } from '../../core/catalogue/table-of-version.ts'
import type { ReadPageRequest, Reclaimed, StoredPage } from '../../object-store.ts'
import type { PageCache } from '../../page-cache.ts'
import type { RequestContext } from '../../port/request-context.ts'
import { ReadTimer, reported } from '../../port/request-context.ts'
import { orderBranches } from '../../sql/compile/keyset-sql.ts'
import { combine, type SqlCondition } from '../../sql/compile/sql-condition.ts'
import { readableVersion } from '../../sql/plan/plan-rules.ts'
import { readObjects } from '../catalogue/missing-tables.ts'
import { readTypeHead, type TypeHead } from '../catalogue/type-head.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { Session } from '../driver/database.ts'
import type { ReadPool } from '../driver/read-pool.ts'
import { exactQuerySql } from '../queries/find-rows.ts'
import { type TypeFieldsCache, visibleSql } from '../queries/queried-types.ts'
import { fittingRows, type PageRowsSpec, pageSql, toPageRows } from './page-sql.ts'
import { isStillValid, type PagePlan, planPage, poolOf, textPropertiesOf } from './plan-page.ts'
import { readPage, totalCountSql, walkRows } from './read-page.ts'
import { SeenHeads } from './seen-heads.ts'

type PagesStore = PostgresContext & { readonly fields: TypeFieldsCache }

export class PageReader {
  readonly heads = new SeenHeads()
  readonly #store: PagesStore
  readonly #cache: PageCache

  constructor(store: PagesStore, cache: PageCache) {
    this.#store = store
    this.#cache = cache
  }

  async read(request: ReadPageRequest, context: RequestContext): Promise<StoredPage | Reclaimed> {
    return reported(context, await this.#read(request, context))
  }

  async #read(request: ReadPageRequest, context: RequestContext): Promise<StoredPage | Reclaimed> {
    const { database } = this.#store
    const findCached = (pool: ReadPool) => this.#findCached(request, context, pool)
    const readUncached = async (pool: ReadPool) => {
      const page =
        (await this.#readWithoutTransaction(request, context, pool)) ??
        (await this.#readInTransaction(request, context, pool))
      return page === 'reclaimed' ? page : this.#cache.keep(request, page)
    }
    if (poolOf(request, this.#longTextsOf(request.objectType)) === 'quick') {
      return database.readQuickly(
        context,
        async (pool) => (await findCached(pool)) ?? (await readUncached(pool)),
      )
    }
    const cached = await database.readQuickly(context, findCached)
    return cached ?? database.readSlowly(context, readUncached)
  }

  /** Returns the properties that may have long texts. */
  #longTextsOf(objectType: ObjectType): ReadonlySet<string> {
    const seen = this.heads.find(objectType)
    const fields = seen && this.#store.fields.find(seen, objectType, seen.current)
    return fields?.numbers.prefixFields ?? textPropertiesOf(objectType)
  }

  /** Returns a cached page if the database confirms that its version is the one to read. */
  async #findCached(
    request: ReadPageRequest,
    context: RequestContext,
    pool: ReadPool,
  ): Promise<StoredPage | undefined> {
    const seen = this.heads.find(request.objectType)
    if (seen === undefined) return undefined
    const cached = this.#cache.find(request, request.version ?? seen.published)
    if (cached === undefined) return undefined
    let isConfirmed = false
    try {
      const head = await this.heads.read(request.objectType, context, pool)
      if (head === undefined) return undefined
      isConfirmed = head.current.isCreated && readableVersion(request, head) === cached.version
      return isConfirmed ? cached : undefined
    } finally {
      if (!isConfirmed) cached.release()
    }
  }

  #readInTransaction(
    request: ReadPageRequest,
    context: RequestContext,
    pool: ReadPool,
  ): Promise<StoredPage | Reclaimed> {
    const { objectType } = request
    const read = async (session: Session) => {
      const head = this.heads.note(objectType, await readTypeHead(session, objectType), context)
      return readPage(session, request, head, this.#store, true)
    }
    return readObjects(this.#store, objectType, read, pool)
  }

  /** Returns undefined if something must be looked up, or if the head has changed too much. */
  async #readWithoutTransaction(
    request: ReadPageRequest,
    context: RequestContext,
    pool: ReadPool,
  ): Promise<StoredPage | undefined> {
    const timer = new ReadTimer()
    const { objectType, maxObjects, record } = request
    const { isDistributed } = this.#store.capabilities
    const seen = isDistributed
      ? await this.heads.read(objectType, context, pool)
      : this.heads.find(objectType)
    const plan = seen && this.#planFor(request, seen)
    if (seen === undefined || plan === undefined || plan.needsLookup) return undefined
    const { table, budget, prepared: isPrepared } = plan
    const { totalCount: counted, ...rowsOf } = this.#rowsOf(request, seen, plan)
    const statement = pageSql({
      ...rowsOf,
      table: table.table,
      record,
      maxObjects,
      budget: budget && { ...budget, includeFirst: true },
      isDistributed,
    })
    timer.planned()
    const isMeasured = budget !== undefined
    const page = { ...statement, isMeasured, isPrepared, totalCount: counted }
    const answer = isDistributed
      ? await this.heads.readAt(seen, page, pool)
      : await this.heads.readWith(page, objectType, context, pool)
    if (answer === undefined) return undefined
    const { head, rows } = answer
    const latestPlan = this.#planFor(request, head)
    if (latestPlan === undefined || head.generation !== seen.generation) return undefined
    if (!isStillValid(plan, latestPlan)) return undefined
    const fitting = fittingRows(rows, maxObjects)
    const found = toPageRows(fitting, fitting.length < rows.length, record)
    const totalCount = plan.totalCount === 'live' ? head.current.liveCount : answer.totalCount
    const matchEstimate = answer.totalCount ?? request.matchEstimate
    const report = timer.report(plan.kind)
    return { ...found, version: latestPlan.version, totalCount, matchEstimate, report }
  }

  /** Plans a page of the current table; undefined if the version is not there. */
  #planFor(request: ReadPageRequest, head: TypeHead): PagePlan | undefined {
    const { current, published } = head
    const version = readableVersion(request, head)
    if (!current.isCreated || version === undefined || version < current.firstVersion)
      return undefined
    if (isOutdated(head.redefined, request.objectType)) return undefined
    const fields = this.#store.fields.find(head, request.objectType, current)
    const state = { version, isLatest: version === published, table: current }
    return planPage(request, state, { ...this.#store.capabilities, fields })
  }

  #rowsOf(
    request: ReadPageRequest,
    head: TypeHead,
    plan: PagePlan,
  ): PageRowsSpec & { readonly totalCount?: SqlCondition | undefined } {
    const { query, objectType, after } = request
    const fields = this.#store.fields.find(head, objectType, plan.table)
    if (plan.kind === 'keyWalk' || plan.kind === 'valueWalk') return walkRows(request, plan, fields)
    const [branch] = orderBranches([], after && { pk: after.pk, values: [] })
    if (fields === undefined || branch === undefined) throw new Error('the plan needs a lookup')
    const condition = exactQuerySql(query, fields)
    const matching = combine('and', [visibleSql(plan.visibility, plan.version), condition])
    const where = combine('and', [matching, branch])
    const totalCount = totalCountSql(plan, condition, matching)
    return { where, orderBy: branch.orderBy, isKeyOrder: false, totalCount }
  }
}
