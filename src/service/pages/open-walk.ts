/** Opens the page token of a request. */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { PageState, TokenBinding, TokenRefusal } from '../../paging/page-token.ts'
import type { ServiceParts } from '../service-parts.ts'

type PageToken = string | null | undefined

/** Returns the state that the walk resumes from, or undefined on the first page. */
export function openWalk(
  pageToken: PageToken,
  binding: TokenBinding,
  nowSeconds: number,
  { walkTokens }: Pick<ServiceParts, 'walkTokens'>,
): PageState | undefined {
  if (pageToken == null) return undefined
  const opened = walkTokens.open(pageToken, binding, nowSeconds)
  if ('state' in opened) return opened.state
  const snapshotToken =
    'expired' in opened ? walkTokens.renew(opened.expired, binding, nowSeconds) : undefined
  throw pageTokenRefused(pageToken, opened.refused, snapshotToken)
}

/**
 * Returns the error of a refusal. All refusals have one name; the reason is a parameter, and so is a
 * token that continues within the snapshot of an expired one.
 */
export function pageTokenRefused(
  pageToken: PageToken,
  refusal: TokenRefusal,
  snapshotToken?: string,
): ObjectQueryError {
  return new ObjectQueryError('InvalidPageToken', {
    pageToken,
    reason: refusal,
    ...(snapshotToken !== undefined && { snapshotToken }),
  })
}
