import { ObjectQueryError } from '../contract/errors.ts'
import { recordShape } from '../contract/object-record.ts'
import { REVISIONS, type Revision } from '../contract/revisions.ts'
import { nextPageState, tokenExpiry } from '../paging/next-page.ts'
import { effectivePageSize } from '../paging/page-size.ts'
import {
  openPageToken,
  type PageState,
  type SnapshotState,
  sealPageToken,
  type TokenBinding,
  type TokenRefusal,
} from '../paging/page-token.ts'
import { callerFingerprint, requestFingerprint } from '../paging/request-fingerprint.ts'
import { objectsStillAllowed, type RetrievalLimit } from '../paging/retrieval-limit.ts'
import type { OrderTerm, Query } from '../query/query.ts'
import type { Selection } from '../query/selection.ts'
import type { Caller } from './caller.ts'
import type { Page } from './page-response.ts'
import type { ResolvedType } from './resolve.ts'
import type { Services } from './services.ts'

/**
 * The one way to a page, for every endpoint and both revisions: open the token, read the store,
 * close the page with the next token. Endpoints only differ in the `PageRequest` they make.
 */

export interface PageRequest extends ResolvedType {
  readonly requestId: string
  readonly endpoint: string
  readonly revision: Revision
  readonly caller: Caller
  readonly query: Query
  readonly order: readonly OrderTerm[]
  readonly selection: Selection
  readonly snapshot: boolean
  readonly pageToken: string | undefined
  readonly pageSize: number | undefined
  readonly maximumPageSize: number
  readonly retrievalLimit: RetrievalLimit
}

/** Where an envelope shows no count, so many matches are counted: enough to choose a plan. */
const COUNT_FOR_PLAN = 2001

export async function servePage(request: PageRequest, services: Services): Promise<Page> {
  const nowSeconds = services.now() / 1000
  const { objectType, revision, query, order, selection } = request
  const binding: TokenBinding = {
    request: requestFingerprint({
      endpoint: request.endpoint,
      revision,
      ontologyRid: request.ontology.rid,
      objectType: objectType.apiName,
      query,
      order,
      selection,
      snapshot: request.snapshot,
    }),
    caller: callerFingerprint(request.caller.id),
  }
  const resumed = openToken(request, binding, nowSeconds, services)
  const alreadySent = resumed?.served ?? 0

  const size = effectivePageSize(request.pageSize, request.maximumPageSize)
  const stored = await services.store.readPage({
    objectType,
    query,
    order,
    record: { shape: recordShape(revision, objectType.apiName), selection },
    after: resumed?.after,
    version: resumed?.snapshot?.version,
    maxObjects: objectsStillAllowed(alreadySent, size, request.retrievalLimit),
    maxBytes: services.limits.pageMaxBytes,
    matches: resumed?.totalCount,
    countAtMost: REVISIONS[revision].totalCount ? undefined : COUNT_FOR_PLAN,
  })
  if (stored === 'reclaimed') throw refuseToken(request, 'reclaimed', services)

  // The first page of a snapshot notes the version it read; all further pages read that one.
  const snapshot: SnapshotState | undefined = request.snapshot
    ? (resumed?.snapshot ?? { version: stored.version, takenAtSeconds: nowSeconds })
    : undefined
  // A filtered count is taken once, and a snapshot's count never changes; otherwise it is free.
  const countOnce = request.snapshot || query.kind !== 'everything'
  const totalCount = (countOnce ? resumed?.totalCount : undefined) ?? stored.matches
  const walk = { alreadySent, snapshot, totalCount: countOnce ? totalCount : undefined }
  const next = nextPageState(stored, walk)
  return {
    records: stored.records,
    nextPageToken: next && sealNext(next, binding, nowSeconds, services),
    totalCount,
  }
}

function openToken(
  request: PageRequest,
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
function refuseToken(
  { requestId, pageToken }: PageRequest,
  refusal: TokenRefusal,
  services: Services,
): ObjectQueryError {
  services.emit({ event: 'pageTokenRefused', requestId, refusal })
  return new ObjectQueryError('InvalidPageToken', { pageToken, reason: refusal })
}

function sealNext(
  next: PageState,
  binding: TokenBinding,
  nowSeconds: number,
  { limits, tokenKeys }: Services,
): string {
  const expiresAt = tokenExpiry(nowSeconds, next.snapshot, {
    ttlSeconds: limits.pageTokenTtlSeconds,
    snapshotMaxAgeSeconds: limits.snapshotMaxAgeSeconds,
  })
  return sealPageToken(next, binding, expiresAt, tokenKeys)
}
