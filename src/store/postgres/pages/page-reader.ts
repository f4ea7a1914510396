/**
 * Reads pages in as few round trips as possible. If the plan allows, one statement reads a page from
 * the table and fields that were seen last, see `SeenHeads`. Citus cannot read rows and the catalogue
 * in one statement, so it takes two: at the same time if the machines are asked, see `ShardReader`.
 */

import type { PrimaryKeyType } from '../../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { primaryKeyOf } from '../../../ontology/values/primary-key.ts'
import { toColumnValue } from '../../../query/compared-value.ts'
import { isOutdated } from '../../core/catalogue/walks-of-redefined-types.ts'
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
import type { ShardReader } from '../citus/shard-reader.ts'
import { type Machine, rowsOn, shardOf } from '../citus/shards.ts'
import type { Session } from '../driver/database.ts'
import type { ReadPool } from '../driver/read-pool.ts'
import { exactQuerySql } from '../queries/find-rows.ts'
import { type TypeFieldsCache, visibleSql } from '../queries/queried-types.ts'
import { fittingRows, type PageRowsSpec, pageSql, toPageRows } from './page-sql.ts'
import { isStillValid, type PagePlan, planPage, poolOf, textPropertiesOf } from './plan-page.ts'
import { readPage, totalCountSql, walkRows } from './read-page.ts'
import { type HeadAndRows, SeenHeads } from './seen-heads.ts'

interface PagesStore extends PostgresContext {
  readonly fields: TypeFieldsCache
  /** Undefined if the tables are not distributed. */
  readonly shards?: ShardReader | undefined
}

interface PlannedRead {
  readonly seen: TypeHead
  readonly plan: PagePlan
}

interface PlannedRows extends HeadAndRows {
  readonly plan: PagePlan
}

/** Rows that were read from the machines that hold them. */
interface ShardRows extends PlannedRows {
  readonly machines: readonly Machine[]
}

export class PageReader {
  readonly heads: SeenHeads
  readonly #store: PagesStore
  readonly #cache: PageCache

  constructor(store: PagesStore, cache: PageCache) {
    this.#store = store
    this.#cache = cache
    this.heads = new SeenHeads(store.capabilities.isDistributed)
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
  ): Promise<StoredPage | Reclaimed | undefined> {
    const timer = new ReadTimer()
    const { objectType, maxObjects, record } = request
    const { isDistributed } = this.#store.capabilities
    // Rows of a version do not change, so they may be read before the head shows which to read.
    const [seen, early] = isDistributed
      ? await Promise.all([this.heads.read(objectType, context, pool), this.#readShards(request)])
      : [this.heads.find(objectType)]
    const plan = seen && this.#planFor(request, seen)
    if (seen === undefined || plan === undefined || plan.needsLookup) return undefined
    timer.planned()
    const isRight = early !== undefined && this.#isRight(early, { seen, plan }, objectType)
    const answer =
      (isRight ? early : await this.#readShards(request)) ??
      (await this.#readRows(request, { seen, plan }, context, pool))
    if (answer === undefined) return undefined
    const { head, rows } = answer
    const latestPlan = this.#planFor(request, head)
    if (latestPlan === undefined || head.generation !== seen.generation) return undefined
    if (!isStillValid(answer.plan, latestPlan)) return undefined
    const fitting = fittingRows(rows, maxObjects)
    const found = toPageRows(fitting, fitting.length < rows.length, record)
    const totalCount = plan.totalCount === 'live' ? head.current.liveCount : answer.totalCount
    const matchEstimate = answer.totalCount ?? request.matchEstimate
    const report = timer.report(plan.kind)
    return { ...found, version: latestPlan.version, totalCount, matchEstimate, report }
  }

  async #readRows(
    request: ReadPageRequest,
    { seen, plan }: PlannedRead,
    context: RequestContext,
    pool: ReadPool,
  ): Promise<PlannedRows | undefined> {
    const { objectType, maxObjects, record } = request
    const { isDistributed } = this.#store.capabilities
    const { table, budget, prepared: isPrepared } = plan
    const { totalCount, ...rowsOf } = this.#rowsOf(request, seen, plan)
    const statement = pageSql({
      ...rowsOf,
      table: table.table,
      record,
      maxObjects,
      budget: budget && { ...budget, includeFirst: true },
      isDistributed,
    })
    const page = { ...statement, isMeasured: budget !== undefined, isPrepared, totalCount }
    const found = isDistributed
      ? await this.heads.readAt(seen, page, pool)
      : await this.heads.readWith(page, objectType, context, pool)
    return found && { ...found, plan }
  }

  /**
   * Reads rows from the machines that hold them, as of the head that was seen last. Returns undefined
   * unless they are those of a key, or the next ones in key order, and need not be measured or counted.
   */
  async #readShards(request: ReadPageRequest): Promise<ShardRows | undefined> {
    const { shards } = this.#store
    const { objectType, record, maxObjects, after } = request
    const head = this.heads.find(objectType)
    const machines = this.heads.findMachines(objectType)
    const plan = head && this.#planFor(request, head)
    if (shards === undefined || machines === undefined) return undefined
    if (head === undefined || plan === undefined) return undefined
    const { prepared, needsLookup, budget, totalCount } = plan
    if (!prepared || needsLookup || budget !== undefined) return undefined
    if (totalCount !== 'live' && totalCount !== 'omitted') return undefined
    const { table } = plan.table
    const partSql = (machine: Machine, limit: number, afterKey?: string) => {
      const from = afterKey === undefined ? after : { pk: afterKey, version: 0 }
      const { totalCount: _, ...rows } = this.#rowsOf({ ...request, after: from }, head, plan)
      const part = rowsOn(machine)
      return pageSql({ ...rows, table, part, record, maxObjects: limit - 1, budget: undefined })
    }
    const key = keyOf(request)
    if (plan.kind !== 'keyWalk' && key === undefined) return undefined
    const asked = key === undefined ? machines : shardOf(machines, key)
    const rows = await shards.readInOrder(asked, maxObjects + 1, partSql)
    return rows && { head, machines, plan, rows, totalCount: undefined }
  }

  /** True if rows that were read before the head are those to read. */
  #isRight({ head, plan, machines }: ShardRows, now: PlannedRead, type: ObjectType): boolean {
    return (
      machines === this.heads.findMachines(type) &&
      head.generation === now.seen.generation &&
      isStillValid(plan, now.plan)
    )
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

const WHOLE_TYPES: readonly PrimaryKeyType[] = ['byte', 'short', 'integer', 'long']

/** Returns the stored key that a lookup by key asks for. */
function keyOf({ query, objectType }: ReadPageRequest): string | undefined {
  const { type } = objectType.primaryKey
  if (query.kind !== 'compare') return undefined
  if (type === 'string') return String(query.value)
  return WHOLE_TYPES.includes(type) ? primaryKeyOf(type, toColumnValue(query.value)).pk : undefined
}
