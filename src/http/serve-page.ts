import { ObjectQueryError } from '../contract/errors.ts'
import { recordShape } from '../contract/object-record.ts'
import type { Revision } from '../contract/revisions.ts'
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
import type { Query } from '../query/query.ts'
import type { StoredPage } from '../store/object-store.ts'
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
  readonly snapshot: boolean
  readonly pageToken: string | undefined
  readonly pageSize: number | undefined
  readonly maximumPageSize: number
  readonly retrievalLimit: RetrievalLimit
}

export async function servePage(request: PageRequest, services: Services): Promise<Page> {
  const nowSeconds = services.now() / 1000
  const binding: TokenBinding = {
    request: requestFingerprint({
      endpoint: request.endpoint,
      revision: request.revision,
      ontologyRid: request.ontology.rid,
      objectType: request.objectType.apiName,
      query: request.query,
      snapshot: request.snapshot,
    }),
    caller: callerFingerprint(request.caller.id),
  }
  const resumed = openToken(request, binding, nowSeconds, services)
  const alreadySent = resumed?.served ?? 0

  const size = effectivePageSize(request.pageSize, request.maximumPageSize)
  const stored = await services.store.readPage({
    objectType: request.objectType,
    query: request.query,
    recordShape: recordShape(request.revision, request.objectType.apiName),
    after: resumed?.after,
    version: resumed?.snapshot?.version,
    maxObjects: objectsStillAllowed(alreadySent, size, request.retrievalLimit),
    maxBytes: services.limits.pageMaxBytes,
  })
  if (stored === 'reclaimed') throw refuseToken(request, 'reclaimed', services)

  const snapshot = request.snapshot
    ? (resumed?.snapshot ?? takeSnapshot(stored, nowSeconds))
    : undefined
  const next = nextPageState(stored, alreadySent, snapshot)
  return {
    records: stored.records,
    nextPageToken: next && sealNext(next, binding, nowSeconds, services),
    totalCount: snapshot?.totalCount ?? stored.liveCount,
  }
}

/** The first page of a snapshot notes the version it read; all further pages read that one. */
function takeSnapshot(stored: StoredPage, nowSeconds: number): SnapshotState {
  return {
    version: stored.version,
    takenAtSeconds: nowSeconds,
    totalCount: stored.liveCount,
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
