/** How many objects a page may have [4.1.2] [8.2], and where the page after it starts [2.1.1] [2.1.2]. */
import { ObjectQueryError } from '../contract/errors.ts'
import type { Cursor } from './cursor.ts'
import type { PageState } from './page-token.ts'

/** How many objects one walk may return in total [8.2]. */
export type RetrievalLimit = number | 'none'

/**
 * Returns the page size of a request. The client's number is a hint [4.1.2]: a value above the
 * maximum of the endpoint is reduced to it. The request schemas reject what is not a page size.
 */
export function effectivePageSize(hint: number | undefined, endpointMaximum: number): number {
  return Math.min(hint ?? endpointMaximum, endpointMaximum)
}

/** Returns the limit of a walk: the object type's own, or that of the endpoint. */
export function effectiveLimit(
  ofEndpoint: RetrievalLimit,
  ofType: RetrievalLimit | undefined,
): RetrievalLimit {
  return ofType ?? ofEndpoint
}

/**
 * Returns how many objects the next page may hold. Throws `ObjectsExceededLimit` once the limit is
 * reached.
 *
 * The page that reaches the limit is still served, with a token if more objects exist. Only the
 * request after it fails, so a walk never ends silently at its limit [7.1].
 */
export function objectsStillAllowed(
  alreadySent: number,
  wanted: number,
  limit: RetrievalLimit,
): number {
  if (limit === 'none') return wanted
  if (alreadySent >= limit) throw new ObjectQueryError('ObjectsExceededLimit', { limit })
  return Math.min(wanted, limit - alreadySent)
}

interface ServedPage {
  readonly count: number
  readonly last: Cursor | undefined
  /** True if at least one object follows the last one of this page. */
  readonly more: boolean
}

/** What all pages of a walk have in common. */
interface WalkState extends Omit<PageState, 'after' | 'served'> {
  readonly alreadySent: number
}

/** Returns the state that the next page starts from, or undefined after the last page. */
export function nextPageState(served: ServedPage, walk: WalkState): PageState | undefined {
  if (!served.more || served.last === undefined) return undefined
  return {
    after: served.last,
    served: walk.alreadySent + served.count,
    totalCount: walk.totalCount,
    matchEstimate: walk.totalCount === undefined ? walk.matchEstimate : undefined,
    snapshot: walk.snapshot,
    startedAtMs: walk.snapshot === undefined ? walk.startedAtMs : undefined,
    listedTypes: walk.listedTypes,
  }
}
