/** How many objects a page may have [4.1.2], and how many all pages of a walk together [8.2]. */
import { ObjectQueryError } from '../contract/errors.ts'

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
