import { recordShape } from '../../contract/object-record.ts'
import type { Revision } from '../../contract/revisions.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { nextPageState } from '../../paging/next-page.ts'
import { effectivePageSize } from '../../paging/page-size.ts'
import type { SnapshotState, TokenBinding } from '../../paging/page-token.ts'
import { callerFingerprint, requestFingerprint } from '../../paging/request-fingerprint.ts'
import { objectsStillAllowed, type RetrievalLimit } from '../../paging/retrieval-limit.ts'
import type { OrderTerm, Query } from '../../query/query.ts'
import type { Selection } from '../../query/selection.ts'
import type { ReadPageRequest } from '../../store/object-store.ts'
import type { RequestScope } from '../request/admission.ts'
import type { Caller } from '../request/caller.ts'
import type { ResolvedType } from '../request/resolve.ts'
import { digest } from '../response/entity-tag.ts'
import type { Services } from '../services.ts'
import { openWalk, refuseToken, sealWalk, tokenFacts } from '../walk-token.ts'
import type { Page } from './send-page.ts'

/**
 * The one way to a page, for every endpoint and both revisions: open the token, read the store,
 * close the page with the next token. Endpoints only differ in the `PageRequest` they make.
 */

export interface PageRequest extends ResolvedType {
  readonly requestId: string
  readonly endpoint: string
  readonly revision: Revision
  readonly caller: Caller
  readonly context: RequestScope
  readonly query: Query
  readonly order: readonly OrderTerm[]
  readonly selection: Selection
  readonly snapshot: boolean
  readonly pageToken: string | undefined
  readonly pageSize: number | undefined
  readonly maximumPageSize: number
  readonly retrievalLimit: RetrievalLimit
  /** Whether the envelope shows how many objects there are; counting them all has its price. */
  readonly showsCount: boolean
}

export async function servePage(request: PageRequest, services: Services): Promise<Page> {
  const nowSeconds = services.now() / 1000
  const { objectType, revision, query, order, selection, context } = request
  const binding: TokenBinding = {
    request: fingerprintOf(request),
    caller: callerFingerprint(request.caller.id),
  }
  const resumed = openWalk(request, binding, nowSeconds, services)
  const alreadySent = resumed?.served ?? 0

  const size = effectivePageSize(request.pageSize, request.maximumPageSize)
  services.memory.refuseWhenFull(context.callerId)
  const pageRequest: ReadPageRequest = {
    objectType,
    query,
    order,
    record: { shape: recordShape(revision, objectType.apiName), selection },
    after: resumed?.after,
    version: resumed?.snapshot?.version,
    maxObjects: objectsStillAllowed(alreadySent, size, request.retrievalLimit),
    maxBytes: services.limits.pageMaxBytes,
    // The token of a counted walk carries the count.
    includeTotalCount: request.showsCount && resumed?.totalCount === undefined,
    matchEstimate: resumed?.totalCount ?? resumed?.matchEstimate,
  }
  const stored = await services.store.readPage(pageRequest, context)
  if (stored === 'reclaimed') throw refuseToken(request, 'reclaimed', services)
  const held = services.memory.hold(context.callerId, stored.records.length)
  context.defer(() => {
    stored.release()
    held.release()
  })
  // Sending a large page takes as long as reading one, so other callers come in between.
  const turn = services.admission.takeTurn(context.callerId)
  if (turn !== undefined) await turn

  // The first page of a snapshot notes the version it read; all further pages read that one.
  const snapshot: SnapshotState | undefined = request.snapshot
    ? (resumed?.snapshot ?? { version: stored.version, takenAtSeconds: nowSeconds })
    : undefined
  // A filtered count is taken once, and a snapshot's count never changes; otherwise it is free.
  const countOnce = request.snapshot || query.kind !== 'everything'
  const totalCount = (countOnce ? resumed?.totalCount : undefined) ?? stored.totalCount
  const walk = {
    alreadySent,
    snapshot,
    totalCount: countOnce ? totalCount : undefined,
    matchEstimate: stored.matchEstimate,
  }
  const next = nextPageState(stored, walk)
  return {
    records: stored.records,
    nextPageToken: sealWalk(next, binding, nowSeconds, services),
    totalCount: totalCount ?? 0,
    facts: [
      binding.request.toString('base64url'),
      binding.caller.toString('base64url'),
      namesOf(objectType),
      stored.version,
      alreadySent,
      stored.count,
      totalCount ?? 0,
      ...tokenFacts(nowSeconds, services),
    ],
  }
}

const shownNames = new WeakMap<ObjectType, string>()

/** What records show of their type, which can change without a new version. */
function namesOf(objectType: ObjectType): string {
  let names = shownNames.get(objectType)
  if (names === undefined) {
    names = digest(JSON.stringify([objectType.apiName, objectType.titleProperty]))
    shownNames.set(objectType, names)
  }
  return names
}

/** Fingerprints of walks over all objects, which are most requests, by endpoint. */
const plainFingerprints = new WeakMap<ObjectType, Map<string, Buffer>>()

function fingerprintOf(request: PageRequest): Buffer {
  const { endpoint, revision, ontology, objectType, query, order, selection, snapshot } = request
  const make = () => {
    const { rid, primaryKey } = objectType
    const type = [rid, primaryKey.apiName, primaryKey.type].join()
    const ontologyRid = ontology.rid
    const asked = { endpoint, revision, ontologyRid, objectType: type }
    return requestFingerprint({ ...asked, query, order, selection, snapshot })
  }
  if (query.kind !== 'everything' || order.length > 0 || selection !== undefined) return make()
  const known = plainFingerprints.get(objectType) ?? new Map<string, Buffer>()
  plainFingerprints.set(objectType, known)
  const name = `${endpoint} ${revision} ${snapshot}`
  const fingerprint = known.get(name) ?? make()
  known.set(name, fingerprint)
  return fingerprint
}
