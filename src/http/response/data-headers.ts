/** The headers of responses with objects, besides those of every response. */
import type { RequestContext } from '../../admission/request-context.ts'

/** The version of the object type that was read. */
export const VERSION_HEADER = 'oqs-version'

/** The trailer field with the number of objects of an export, which is known at its end. */
export const COUNT_TRAILER = 'oqs-count'

/** How long a request took so far, in milliseconds. */
export interface RequestTimes {
  elapsedMs(): number
  /** The part that the store took. */
  readonly storeMs: number
}

/** The part of a reply that these headers depend on. */
export interface TimedReply {
  readonly request: { readonly context: RequestTimes & Pick<RequestContext, 'recalled'> }
}

/**
 * Returns the headers of a response: `Server-Timing` and, if objects of one type were read,
 * `oqs-version`.
 */
export function dataHeaders(
  { request: { context } }: TimedReply,
  version: number | undefined,
): Record<string, string> {
  const [total, store] = [context.elapsedMs().toFixed(2), context.storeMs.toFixed(2)]
  const headers: Record<string, string> = {
    'server-timing': `total;dur=${total}, store;dur=${store}`,
  }
  if (version !== undefined) headers[VERSION_HEADER] = String(version)
  return headers
}
