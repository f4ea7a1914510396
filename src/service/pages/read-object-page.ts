/**
 * Reads a page of objects, for every endpoint and revision: opens the token, reads the store, seals
 * the next token.
 */
import { flatRecordShape, type RecordShape, recordShape } from '../../contract/object-record.ts'
import { REVISIONS, type Revision } from '../../contract/revisions.ts'
import { nextPageState } from '../../paging/next-page.ts'
import { effectivePageSize } from '../../paging/page-size.ts'
import type { PageState, SnapshotState } from '../../paging/page-token.ts'
import { effectiveLimit, objectsStillAllowed } from '../../paging/retrieval-limit.ts'
import { linkedTypesOf, plainQuery, typeIdentity } from '../../query/linked-types.ts'
import type { OrderTerm, Query } from '../../query/query.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import { hidesProperties, isPartlyHidden } from '../../query/rights/restricted-type.ts'
import type { Selection } from '../../query/selection.ts'
import type { ReadPageRequest, StoredPage } from '../../store/object-store.ts'
import type { ResolvedType } from '../../http/request/resolve.ts'
import { digest } from '../../http/response/entity-tag.ts'
import type { PagingParameters } from '../../http/schemas/paging.ts'
import type { Services } from '../../http/services.ts'
import { holdPage } from '../../http/page/hold-page.ts'
import { openWalk, type PagedRequest, pageTokenRefused } from './open-walk.ts'
import { readTiers } from '../ranking/read-tiers.ts'
import type { Page } from '../../http/page/send-page.ts'

/** The page that an endpoint requests. */
export interface PageSpec extends ResolvedType {
  /** Page tokens are valid only for requests with the same value. */
  readonly endpoint: string
  readonly revision: Revision
  readonly query: Query
  /** Key order if absent. */
  readonly order?: readonly OrderTerm[]
  readonly selection?: Selection
  readonly paging: PagingParameters
  readonly maximumPageSize: number
  /** The maximum if absent. */
  readonly defaultPageSize?: number
  /** Whether records of v2 omit `__rid`. */
  readonly excludeRid?: boolean
  /** Whether the best matches come first, instead of an order by properties. Only for v2. */
  readonly isByRelevance?: boolean
  /** Whether the response contains `totalCount`, which may require reading every match. */
  readonly includeTotalCount: boolean
  /** For page tokens of a set that lists objects; see `RequestedSet`. */
  readonly listedTypes?: readonly number[] | undefined
}

export async function readPage(
  request: PagedRequest,
  spec: PageSpec,
  services: Services,
): Promise<Page> {
  const { walkTokens, memory, limits, admission } = services
  const { context } = request
  const { objectType, order = [], selection, includeTotalCount } = spec
  const isSnapshot = spec.paging.snapshot ?? false
  const nowSeconds = services.now() / 1000
  const binding = bindingOf(request, spec, services)
  const resumed = openWalk(spec.paging.pageToken, binding, nowSeconds, services)
  const alreadySent = resumed?.served ?? 0
  const startedAtMs = startOfWalk(resumed) ?? nowSeconds * 1000
  const query = resolveRelativeDates(spec.query, startedAtMs)

  const isPartial = [objectType, ...linkedTypesOf(query, objectType)].some(isPartlyHidden)
  const size = pageSizeOf(spec)
  memory.refuseWhenFull(context.callerId)
  const pageRequest: ReadPageRequest = {
    objectType,
    query,
    order,
    record: { shape: shapeOf(spec), selection },
    after: resumed?.after,
    version: resumed?.snapshot?.version,
    linkedVersions: resumed?.snapshot?.otherVersions,
    maxObjects: objectsStillAllowed(alreadySent, size, retrievalLimit(spec, services)),
    maxBytes: limits.pageMaxBytes,
    // The token of a counted walk carries the count.
    includeTotalCount: includeTotalCount && resumed?.totalCount === undefined,
    // For the entity tag. A row also changes with its hidden properties.
    includeRowIds: isPartial && !hidesProperties(objectType) && request.method !== 'POST',
    matchEstimate: resumed?.totalCount ?? resumed?.matchEstimate,
  }
  const { round } = admission
  const stored = await context.timeStore(() =>
    spec.isByRelevance
      ? readTiers(pageRequest, (score) => shapeOf(spec, score), context, services)
      : services.store.readPage(pageRequest, context),
  )
  if (stored === 'reclaimed') {
    throw pageTokenRefused(spec.paging.pageToken, 'reclaimed')
  }
  context.objects = stored.count
  context.noteRead([objectType], stored.count)
  const turn = holdPage(stored, round, context, services)
  if (turn !== undefined) await turn

  // The first page of a snapshot walk fixes the version that all later pages read.
  const snapshot: SnapshotState | undefined = isSnapshot
    ? (resumed?.snapshot ?? snapshotOf(stored, nowSeconds))
    : undefined
  // The count of a filtered walk or of a snapshot is taken once. The count of a type costs nothing.
  const countOnce = isSnapshot || query.kind !== 'everything' || isPartlyHidden(objectType)
  const totalCount = (countOnce ? resumed?.totalCount : undefined) ?? stored.totalCount
  const walk = {
    alreadySent,
    snapshot,
    totalCount: countOnce ? totalCount : undefined,
    matchEstimate: stored.matchEstimate,
    startedAtMs: query === spec.query ? undefined : startedAtMs,
    listedTypes: spec.listedTypes,
  }
  const next = nextPageState(stored, walk)
  return {
    records: stored.records,
    nextPageToken: walkTokens.seal(next, binding, nowSeconds),
    totalCount: includeTotalCount ? (totalCount ?? 0) : undefined,
    version: isPartial ? undefined : stored.version,
    isTaggedByContent: isPartial && stored.rowIds === undefined,
    etagInputs: [
      binding.request.toString('base64url'),
      binding.caller.toString('base64url'),
      // Records contain the names, which can change without a new version.
      walkTokens.hashText(JSON.stringify([objectType.apiName, objectType.titleProperty])),
      // Relative dates select other objects the next day.
      ...(query === spec.query ? [] : [digest(JSON.stringify(query))]),
      ...(isPartial ? [] : [stored.version, ...(stored.linkedVersions ?? [])]),
      ...(stored.rowIds === undefined ? [] : [walkTokens.keyedHash(stored.rowIds)]),
      alreadySent,
      stored.count,
      totalCount ?? 0,
      // An object that follows the last page changes nothing else.
      next === undefined ? 0 : 1,
      ...walkTokens.etagInputs(nowSeconds),
    ],
  }
}

/** Returns when the walk of a page token started, if the token says so. */
export function startOfWalk(resumed: PageState | undefined): number | undefined {
  const { snapshot, startedAtMs } = resumed ?? {}
  return snapshot === undefined ? startedAtMs : Math.round(snapshot.takenAtSeconds * 1000)
}

function pageSizeOf({ paging, maximumPageSize, defaultPageSize }: PageSpec): number {
  return effectivePageSize(paging.pageSize ?? defaultPageSize, maximumPageSize)
}

function shapeOf(
  { revision, objectType, excludeRid = false }: PageSpec,
  score?: number,
): RecordShape {
  return revision === 'v2'
    ? flatRecordShape(objectType, { excludeRid, score })
    : recordShape(revision, objectType.apiName)
}

function snapshotOf(
  { version, linkedVersions: otherVersions }: StoredPage,
  takenAtSeconds: number,
): SnapshotState {
  return { version, takenAtSeconds, ...(otherVersions && { otherVersions }) }
}

function retrievalLimit({ revision, objectType }: PageSpec, { limits }: Services) {
  if (!REVISIONS[revision].hasRetrievalLimit) return 'none'
  return effectiveLimit(limits.listObjectsLimit, objectType.retrievalLimit)
}

function bindingOf({ caller }: PagedRequest, spec: PageSpec, { walkTokens }: Services) {
  const { endpoint, revision, ontology, objectType, query, order = [], selection, paging } = spec
  const { excludeRid = false, isByRelevance = false } = spec
  const request = {
    endpoint,
    revision,
    ontologyRid: ontology.rid,
    objectType: typeIdentity(objectType),
    query: plainQuery(query),
    order: isByRelevance ? [{ relevance: true }] : order,
    selection,
    snapshot: paging.snapshot ?? false,
    excludeRid,
  }
  return walkTokens.bind(request, caller.id, ontology.viewId)
}
