import { ObjectQueryError } from '../contract/errors.ts'

/** The most objects that one listing may return across its pages [8.2]. */
export type RetrievalLimit = number | 'none'

/** A type's own limit stands before the endpoint's. */
export function effectiveLimit(
  ofEndpoint: RetrievalLimit,
  ofType: RetrievalLimit | undefined,
): RetrievalLimit {
  return ofType ?? ofEndpoint
}

/**
 * Trims a page that would cross the limit, and refuses one that starts at it.
 *
 * The refusal comes with the request after the last allowed object, not with the page that reaches
 * it: those objects are inside the limit and the client is owed them. That page carries a token
 * when more objects exist, so a listing never ends silently at its limit [7.1].
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
