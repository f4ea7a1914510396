/** The headers of responses with objects, besides those of every response. */
import type { RequestContext } from '../../store/port/request-context.ts'

/** The version of the object type that was read. */
export const VERSION_HEADER = 'oqs-version'

/** The trailer field with the number of objects of an export, which is known at its end. */
export const COUNT_TRAILER = 'oqs-count'

/** The part of a reply that these headers depend on. */
export interface TimedReply {
  readonly request: {
    readonly context: RequestContext
    readonly activity: {
      /** How long the request took so far, in milliseconds. */
      elapsedMs(): number
      /** The part that the store took. */
      readonly storeMs: number
    }
  }
}

/**
 * Returns the headers of a response: `Server-Timing` and, if objects of one type were read,
 * `oqs-version`.
 */
export function dataHeaders(
  { request: { activity } }: TimedReply,
  version: number | undefined,
): Record<string, string> {
  const [total, store] = [activity.elapsedMs().toFixed(2), activity.storeMs.toFixed(2)]
  const headers: Record<string, string> = {
    'server-timing': `total;dur=${total}, store;dur=${store}`,
  }
  if (version !== undefined) headers[VERSION_HEADER] = String(version)
  return headers
}
