import { ObjectQueryError } from '../contract/errors.ts'
import { tokenExpiry } from '../paging/next-page.ts'
import {
  openPageToken,
  type PageState,
  sealPageToken,
  type TokenBinding,
  type TokenRefusal,
} from '../paging/page-token.ts'
import type { Services } from './services.ts'

/** The token of a request: opened at the beginning of a page, sealed at its end. */

/** The parts of a request that its token is about. */
export interface TokenRequest {
  readonly requestId: string
  readonly pageToken: string | undefined
}

/** Where the walk stands; undefined on the first page. */
export function openWalk(
  request: TokenRequest,
  binding: TokenBinding,
  nowSeconds: number,
  services: Services,
): PageState | undefined {
  if (request.pageToken === undefined) return undefined
  const opened = openPageToken(request.pageToken, binding, nowSeconds, services.tokenKeys)
  if ('refused' in opened) throw refuseToken(request, opened.refused, services)
  return opened.state
}

/** One public error for every refusal; the reason is among its parameters and in the log. */
export function refuseToken(
  { requestId, pageToken }: TokenRequest,
  refusal: TokenRefusal,
  services: Services,
): ObjectQueryError {
  services.emit({ event: 'pageTokenRefused', requestId, refusal })
  return new ObjectQueryError('InvalidPageToken', { pageToken, reason: refusal })
}

/**
 * What makes a page another one for the sake of its token: the key that seals tokens, and which
 * half of a token's life it is by the clock. A client that holds a page holds its token, too: once
 * the period is another one, the page is sent again, with a token that lives on. The last page
 * grows old with the others, so that no answer is held for longer than walks are.
 */
export function tokenFacts(nowSeconds: number, { limits, tokenKeys }: Services) {
  const life = Math.min(limits.pageTokenTtlSeconds, limits.snapshotMaxAgeSeconds)
  return [tokenKeys.sealingId, Math.floor(nowSeconds / (life / 2))]
}

/** The token of the next page; undefined after the last one. */
export function sealWalk(
  next: PageState | undefined,
  binding: TokenBinding,
  nowSeconds: number,
  { limits, tokenKeys }: Services,
): string | undefined {
  if (next === undefined) return undefined
  const expiresAt = tokenExpiry(nowSeconds, next.snapshot, {
    ttlSeconds: limits.pageTokenTtlSeconds,
    snapshotMaxAgeSeconds: limits.snapshotMaxAgeSeconds,
  })
  return sealPageToken(next, binding, expiresAt, tokenKeys)
}
