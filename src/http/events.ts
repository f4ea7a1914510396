/**
 * The events of the HTTP layer, as data; the log decides which are written, and how. No event
 * contains a secret, a token, a primary key or a property value: routes are named by their pattern,
 * never by the requested path.
 */
import type { AccessEvent } from '../access/access-services.ts'
import type { ErrorName } from '../contract/error-catalogue.ts'
import type { TokenRefusal } from '../paging/page-token.ts'
import type { ReadReport } from '../store/port/request-context.ts'

interface ReportedRequest {
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly durationMs: number
  /** The part that reading from the store and writing to it took. */
  readonly storeMs: number
  /** The part that writing took. */
  readonly writeMs: number
  /** The objects in the page that was sent; undefined if the response is not a page. */
  readonly objects: number | undefined
  /** The bytes of the body; undefined if they were not known when it was sent. */
  readonly bytes: number | undefined
  readonly caller: string | undefined
  readonly errorName: ErrorName | undefined
}

export type HttpEvent =
  | ({ readonly event: 'requestFinished'; readonly status: number } & ReportedRequest)
  /** The client left before the end, or the service broke off its response because of an error. */
  | ({
      readonly event: 'requestAborted'
      /** Undefined if no response was begun. */
      readonly status: number | undefined
    } & ReportedRequest)
  /** A store has read a page. */
  | ({ readonly event: 'pageRead'; readonly requestId: string } & ReadReport)
  | {
      readonly event: 'requestFailed'
      readonly requestId: string
      readonly route: string
      readonly error: unknown
    }
  | {
      /** `/readyz` failed. Probes repeat every few seconds, so the event has no stack trace. */
      readonly event: 'notReady'
      readonly requestId: string
      readonly reason: string
    }
  | {
      readonly event: 'pageTokenRefused'
      readonly requestId: string
      readonly refusal: TokenRefusal
    }
  | {
      /** A load or a replacement of all objects of a type enters a phase, or is still in it. */
      readonly event: 'replacementProgress'
      readonly requestId: string
      /** The RID of the object type. */
      readonly objectType: string
      readonly replacement: string
      readonly phase: 'writing' | 'indexing' | 'published'
      /** The number of indexes that were built so far; how many follow is not known. */
      readonly indexes?: number
      /** The number of objects that were published. */
      readonly objects?: number
    }
  | AccessEvent

export type EventSink = (event: HttpEvent) => void
