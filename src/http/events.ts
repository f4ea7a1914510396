import type { ErrorName } from '../contract/error-catalogue.ts'
import type { TokenRefusal } from '../paging/page-token.ts'

/**
 * What happens while requests are served, as data. One sink decides what is shown, and how.
 * No event carries a secret, a token, a key of an object or the value of a property: routes are
 * named by their pattern, never by the path that was asked for.
 */
export type HttpEvent =
  | {
      readonly event: 'requestFinished'
      readonly requestId: string
      readonly method: string
      readonly route: string
      readonly status: number
      readonly durationMs: number
      readonly caller: string | undefined
      readonly errorName: ErrorName | undefined
    }
  | {
      readonly event: 'requestFailed'
      readonly requestId: string
      readonly route: string
      readonly error: unknown
    }
  | {
      /** `/readyz` said no. Asked every few seconds, it is told in one short line. */
      readonly event: 'notReady'
      readonly requestId: string
      readonly reason: string
    }
  | {
      readonly event: 'pageTokenRefused'
      readonly requestId: string
      readonly refusal: TokenRefusal
    }

export type EventSink = (event: HttpEvent) => void
