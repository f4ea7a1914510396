/** The cross-page limit: how many objects one walk may return in total [8.2]. */
import { ObjectQueryError } from '../contract/errors.ts'

export type RetrievalLimit = number | 'none'

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
