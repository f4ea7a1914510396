/**
 * Decides how PostgreSQL reads a page. Every heuristic of this store is here, except for the SQL
 * that steers the database's own planner; `page-reader.ts` and `read-page.ts` execute the plan.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Query } from '../../../query/query.ts'
import { hasLink } from '../../../query/query-tree.ts'
import type { ReadPageRequest } from '../../object-store.ts'
import { ALL_INDEXED } from '../../sql/compile/field-numbers.ts'
import {
  type ByteBudget,
  byteBudget,
  fewMatches,
  isKeyWalk,
  isQuick,
  type RowSearchPlan,
  type TotalCountPolicy,
  totalCountPolicy,
  type VersionState,
  type Visibility,
} from '../../sql/plan/plan-rules.ts'
import { similarLeaves } from '../../sql/text/interval-terms.ts'
import type { TableHead } from '../catalogue/type-head.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import type { TypeFields } from '../queries/queried-types.ts'
import { type Equality, valueWalkOf } from './value-walk.ts'

export type PagePlan = PlanBase &
  (
    | RowSearchPlan
    /** Every object in key order. */
    | {
        readonly kind: 'keyWalk'
        /** Whether the database plans without the bound values, so that one plan serves all. */
        readonly hideValues: boolean
      }
    /** The objects with one value of a property, in key order. */
    | { readonly kind: 'valueWalk'; readonly equality: Equality }
  )

interface PlanBase {
  readonly pool: PoolName
  readonly version: number
  readonly visibility: Visibility
  readonly table: TableHead
  readonly totalCount: TotalCountPolicy
  /** Undefined if the records need no measuring. */
  readonly budget: ByteBudget | undefined
  /** Whether the statement is prepared by name: it recurs, and one plan serves all its values. */
  readonly prepared: boolean
  /** Whether something has to be looked up first, in a transaction. */
  readonly needsLookup: boolean
}

/** Slow pages have connections of their own, so that they cannot use up those of quick pages. */
export type PoolName = 'quick' | 'slow'

/** What the planner knows about the database, and about the type. */
interface PlanCapabilities extends Pick<Capabilities, 'canReadCurrentRows'> {
  /** The fields of the type, if they are known without a lookup. */
  readonly fields: TypeFields | undefined
}

/** Returns the pool of a page, given the properties that may have long texts. */
export function poolOf(request: ReadPageRequest, prefixFields: ReadonlySet<string>): PoolName {
  return isQuick(request, { ...ALL_INDEXED, prefixFields }) ? 'quick' : 'slow'
}

/** Returns the properties whose texts may be long, as far as the definition tells. */
export function textPropertiesOf({ properties }: ObjectType): ReadonlySet<string> {
  const names = [...properties.values()].flatMap(({ apiName, type }) =>
    type.kind === 'scalar' && type.type === 'string' ? [apiName] : [],
  )
  return new Set(names)
}

/** Returns the plan of a page. */
export function planPage(
  request: ReadPageRequest,
  { version, isLatest, table }: VersionState<TableHead>,
  { canReadCurrentRows, fields }: PlanCapabilities,
): PagePlan {
  const { query, order, maxObjects, matchEstimate } = request
  const { liveCount } = table
  const visibility: Visibility = isLatest && canReadCurrentRows ? 'current' : 'version'
  const base = {
    pool: poolOf(request, fields?.numbers.prefixFields ?? textPropertiesOf(request.objectType)),
    version,
    visibility,
    table,
    totalCount: totalCountPolicy(request, {
      canSubtractClosed:
        visibility === 'current' ||
        (isLatest && version >= table.indexedVersion && !hasLink(query)),
    }),
    budget: byteBudget(request, table),
    prepared: query.kind === 'everything' || isKeyEquality(request),
  }
  if (isKeyWalk(request)) {
    const hideValues =
      canReadCurrentRows &&
      visibility === 'version' &&
      isLarge(liveCount, maxObjects, PAGES_OF_KEY_WALK)
    return { ...base, kind: 'keyWalk', hideValues, needsLookup: false }
  }
  if (dependsOnMatchCount(request)) {
    return {
      ...base,
      kind: 'sortFewMatches',
      fewMatches: fewMatches(maxObjects, liveCount),
      matchEstimate,
      needsLookup: true,
    }
  }
  const isCounted = base.totalCount === 'countVisible' || base.totalCount === 'subtractClosed'
  const canWalkValue =
    canReadCurrentRows && !isCounted && isLarge(liveCount, maxObjects, PAGES_OF_VALUE_WALK)
  const equality = canWalkValue ? valueWalkOf(request, fields) : undefined
  if (equality !== undefined) {
    return { ...base, kind: 'valueWalk', equality, prepared: true, needsLookup: false }
  }
  // Order values of the cursor, columns, similar terms and linked tables are looked up before the page.
  const needsLookup =
    fields === undefined || order.length > 0 || hasSimilarTerms(query) || hasLink(query)
  return {
    ...base,
    kind: 'indexWalk',
    needsLookup,
  }
}

/**
 * True if the rows of one plan are also those of a later plan for the same request: they differ at
 * most in version, if both read the current rows, and in measuring records that now all fit.
 */
export function isStillValid(plan: PagePlan, later: PagePlan): boolean {
  return (
    plan.kind === later.kind &&
    plan.table.table === later.table.table &&
    later.table.isCreated &&
    plan.visibility === later.visibility &&
    (plan.visibility === 'current' || plan.version === later.version) &&
    (plan.budget !== undefined || later.budget === undefined)
  )
}

/**
 * True if a table is large enough for its pages to be planned without their values. For a small
 * table, the database might prefer to sort all rows over walking an index.
 */
export function isLarge(liveCount: number, maxObjects: number, pages: number): boolean {
  return liveCount > 1000 && liveCount > pages * maxObjects
}

/** The database assumes that one row in 27 is visible at a version. */
export const PAGES_OF_KEY_WALK = 100
/** The database assumes that one row in 9 has the value, and that 4 of 9 are visible at a version. */
export const PAGES_OF_VALUE_WALK = 500

/** True for a lookup of one object by its key, whose plan does not depend on the key. */
function isKeyEquality({ query, objectType }: ReadPageRequest): boolean {
  return (
    query.kind === 'compare' &&
    query.operator === 'eq' &&
    query.field.property === objectType.primaryKey.apiName
  )
}

/**
 * True if the best plan depends on how many rows match. The database cannot estimate how rare a
 * term or a position is, and walking the key for a rare one reads the whole table.
 */
function dependsOnMatchCount({ query, order }: ReadPageRequest): boolean {
  const isGathered = (one: Query): boolean =>
    one.kind === 'text' ||
    one.kind === 'interval' ||
    (one.kind === 'geo' && one.relation !== 'disjoint') ||
    (one.kind === 'or' && one.of.every(isGathered))
  return (
    order.length === 0 && (query.kind === 'and' ? query.of.some(isGathered) : isGathered(query))
  )
}

/** True if a query needs terms that are similar to its own. */
function hasSimilarTerms(query: Query): boolean {
  switch (query.kind) {
    case 'text':
      return query.fuzzy
    case 'interval':
      return similarLeaves(query.rule).length > 0
    case 'and':
    case 'or':
      return query.of.some(hasSimilarTerms)
    case 'not':
      return hasSimilarTerms(query.of)
    default:
      return false
  }
}
