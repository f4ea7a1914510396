/** Opens the page token of a request, and reports refused tokens to the client and the log. */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { PageState, TokenBinding, TokenRefusal } from '../../paging/page-token.ts'
import type { RequestScope } from '../request/admission.ts'
import type { Caller } from '../request/caller.ts'
import type { Services } from '../services.ts'

/** The parts of a request that paging needs, whatever its schema. */
export interface PagedRequest {
  readonly id: string
  readonly caller: Caller
  readonly context: RequestScope
}

type PageToken = string | null | undefined

/** Returns the state that the walk resumes from, or undefined on the first page. */
export function openWalk(
  request: Pick<PagedRequest, 'id'>,
  pageToken: PageToken,
  binding: TokenBinding,
  nowSeconds: number,
  services: Services,
): PageState | undefined {
  if (pageToken == null) return undefined
  const opened = services.walkTokens.open(pageToken, binding, nowSeconds)
  if ('refused' in opened) throw refusePageToken(request, pageToken, opened.refused, services)
  return opened.state
}

/** Logs a refusal and returns its error. All refusals have one name; the reason is a parameter. */
export function refusePageToken(
  { id }: Pick<PagedRequest, 'id'>,
  pageToken: PageToken,
  refusal: TokenRefusal,
  { emit }: Services,
): ObjectQueryError {
  emit({ event: 'pageTokenRefused', requestId: id, refusal })
  return new ObjectQueryError('InvalidPageToken', { pageToken, reason: refusal })
}
