/** How many objects a page may have [4.1.2, 8.1], and how many all pages of a walk together [8.2]. */
import { ObjectQueryError } from '../contract/errors.ts'

/** The page size of each endpoint, which is both its default and its maximum [8.1]. */
export const PAGE_SIZES = {
  listObjects: 1000,
  searchObjects: 100,
  searchObjectsRevision1: 1000,
  listLinkedObjects: 1000,
  listObjectTypes: 500,
  listLinkTypes: 500,
  listInterfaceTypes: 500,
  listValueTypes: 500,
  listActionTypes: 500,
  listQueryTypes: 100,
} as const

/** The page size of the endpoints of v2 that return objects, and the largest one. */
export const V2_PAGE_SIZES = { default: 1000, maximum: 10_000 } as const

/** The objects whose links one page of links covers, and the links that it has at most. */
export const LINK_PAGE_SIZES = { sources: 1000, links: 100_000 } as const

/** How many objects one walk may return in total [8.2]. */
export type RetrievalLimit = number | 'none'

/**
 * Returns the page size of a request. The client's number is a hint [4.1.2]: a value above the
 * maximum of the endpoint is reduced to it. The request schemas reject what is not a page size.
 */
export function effectivePageSize(hint: number | undefined, endpointMaximum: number): number {
  return Math.min(hint ?? endpointMaximum, endpointMaximum)
}

/**
 * Returns the size of a page of objects: that which the client wants, within the maximum of the
 * endpoint, or the sizes of v2 if it has none.
 */
export function pageSizeOf(
  maximum: number | undefined,
  { pageSize }: { readonly pageSize?: number | null | undefined },
): number {
  if (maximum !== undefined) return effectivePageSize(pageSize ?? undefined, maximum)
  return effectivePageSize(pageSize ?? V2_PAGE_SIZES.default, V2_PAGE_SIZES.maximum)
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

/** Returns the texts of the items that fit into a page with separators, and at least one. */
export function textsWithin<Item>(
  items: readonly Item[],
  maxBytes: number,
  textOf: (item: Item) => string,
): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const item of items) {
    const text = textOf(item)
    bytes += Buffer.byteLength(text) + 1
    if (bytes > maxBytes && texts.length > 0) break
    texts.push(text)
  }
  return texts
}
