/**
 * Reads a page of objects, for every endpoint and revision: opens the token, reads the store, seals
 * the next token. A page has the objects of one type, or of the parts of a set.
 */

import { hidesProperties, isPartlyHidden } from '../../access/policies/restricted-type.ts'
import { V2_PAGE_SIZES } from '../../contract/limits.ts'
import { flatRecordShape, type RecordShape, recordShape } from '../../contract/object-record.ts'
import { REVISIONS } from '../../contract/revisions.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { nextPageState } from '../../paging/next-page.ts'
import { effectivePageSize } from '../../paging/page-size.ts'
import type { PageState, SnapshotState } from '../../paging/page-token.ts'
import {
  effectiveLimit,
  objectsStillAllowed,
  type RetrievalLimit,
} from '../../paging/retrieval-limit.ts'
import { linkedTypesOf, plainQuery } from '../../query/linked-types.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import {
  type ReadPageRequest,
  type Reclaimed,
  type SetPagePart,
  type StoredPage,
  typesOfSet,
} from '../../store/object-store.ts'
import { readTiers } from '../ranking/read-tiers.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import { bindPage } from './bind-page.ts'
import { openWalk, pageTokenRefused } from './open-walk.ts'
import type { Page, PagedRequest } from './page.ts'
import type { PageSpec, TypePageSpec } from './page-spec.ts'
import { readParts, refuseManyTypes } from './read-parts.ts'

export async function readObjectPage(
  request: PagedRequest,
  spec: PageSpec,
  services: ServiceParts,
): Promise<Page> {
  const { walkTokens, memory, limits, admission } = services
  const { context } = request
  const { includeTotalCount, paging } = spec
  const isSet = 'parts' in spec
  const written = isSet ? spec.parts : [partOf(spec)]
  const isSnapshot = paging.snapshot ?? false
  if (isSet) refuseManyTypes(spec.parts)
  const nowSeconds = services.now() / 1000
  const bound = bindPage(request, spec, services)
  const binding = bound instanceof Promise ? await bound : bound
  const resumed = openWalk(paging.pageToken, binding, nowSeconds, services)
  const alreadySent = resumed?.served ?? 0
  const startedAtMs = startOfWalk(resumed) ?? nowSeconds * 1000
  const parts = resolveDates(written, startedAtMs)
  const types = typesOf(parts)
  const isPartial = types.some(isPartlyHidden)

  memory.refuseWhenFull(context.callerId)
  const budget: PageBudget = {
    maxObjects: objectsStillAllowed(alreadySent, pageSizeOf(spec), limitOf(spec, services)),
    maxBytes: limits.pageMaxBytes,
    // The token of a counted walk carries the count.
    includeTotalCount: includeTotalCount && resumed?.totalCount === undefined,
  }
  const { round } = admission
  // For the entity tag. A row also changes with its hidden properties.
  const includeRowIds =
    !isSet && isPartial && !hidesProperties(spec.objectType) && request.method !== 'POST'
  const stored = await readStored(
    spec,
    { parts, resumed, budget, includeRowIds },
    context,
    services,
  )
  if (stored === 'reclaimed') throw pageTokenRefused(paging.pageToken, 'reclaimed')
  context.noteRead(isSet ? types : [spec.objectType], stored.count)
  holdRecords(stored, context, services)
  // Sending a large page takes as long as reading one: if it came from another process or a database,
  // other callers get a turn first.
  const turn = admission.resumeTurn(context.callerId, round)
  if (turn !== undefined) await turn

  // The first page of a snapshot walk fixes the version that all later pages read.
  const snapshot: SnapshotState | undefined = isSnapshot
    ? (resumed?.snapshot ?? snapshotOf(stored, isSet, nowSeconds))
    : undefined
  // The count of a filtered walk or of a snapshot is taken once. The count of a type costs nothing.
  const countOnce = isSet || isSnapshot || parts.some(isFiltered)
  const totalCount = (countOnce ? resumed?.totalCount : undefined) ?? stored.totalCount
  const next = nextPageState(stored, {
    alreadySent,
    snapshot,
    totalCount: countOnce ? totalCount : undefined,
    matchEstimate: stored.matchEstimate,
    startedAtMs: parts === written ? undefined : startedAtMs,
    listedTypes: spec.listedTypes,
  })
  return {
    records: stored.records,
    count: stored.count,
    nextPageToken: walkTokens.seal(next, binding, nowSeconds),
    totalCount: includeTotalCount ? (totalCount ?? 0) : undefined,
    version: isPartial || parts.length !== 1 ? undefined : stored.version,
    isTaggedByContent: isPartial && stored.rowIds === undefined,
    etagInputs: [
      binding.request.toString('base64url'),
      binding.caller.toString('base64url'),
      // Records contain the names, which can change without a new version.
      walkTokens.hashText(JSON.stringify(parts.map(namesOf))),
      // Relative dates select other objects the next day.
      ...(parts === written ? [] : [walkTokens.hashText(JSON.stringify(parts.map(plainPart)))]),
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

/** Accounts for the memory of a page until the request ends. */
function holdRecords(
  { records, release }: StoredPage,
  context: ServiceContext,
  { memory }: ServiceParts,
): void {
  const held = memory.hold(context.callerId, records.length)
  context.defer(() => {
    release()
    held.release()
  })
}

type PageBudget = Pick<ReadPageRequest, 'maxObjects' | 'maxBytes' | 'includeTotalCount'>

interface StoreRead {
  readonly parts: readonly SetPagePart[]
  readonly resumed: PageState | undefined
  readonly budget: PageBudget
  readonly includeRowIds: boolean
}

/** Reads the page from the store. The cursor of its last record is the one that the token carries. */
function readStored(
  spec: PageSpec,
  { parts, resumed, budget, includeRowIds }: StoreRead,
  context: ServiceContext,
  services: ServiceParts,
): Promise<StoredPage | Reclaimed> {
  const after = resumed?.after
  if ('parts' in spec) {
    const request = { ...budget, parts, order: spec.order, after }
    return readParts(request, spec.paging.snapshot ?? false, context, services)
  }
  const request: ReadPageRequest = {
    ...budget,
    ...(parts[0] ?? partOf(spec)),
    order: spec.order ?? [],
    after,
    version: resumed?.snapshot?.version,
    linkedVersions: resumed?.snapshot?.otherVersions,
    includeRowIds,
    matchEstimate: resumed?.totalCount ?? resumed?.matchEstimate,
  }
  return spec.isByRelevance
    ? readTiers(request, (score) => shapeOf(spec, score), context, services)
    : services.objects.readPage(request, context)
}

/** Returns when the walk of a page token started, if the token says so. */
function startOfWalk(resumed: PageState | undefined): number | undefined {
  const { snapshot, startedAtMs } = resumed ?? {}
  return snapshot === undefined ? startedAtMs : Math.round(snapshot.takenAtSeconds * 1000)
}

/** Returns the parts with absolute dates; the same list if they have no relative ones. */
function resolveDates(parts: readonly SetPagePart[], atMs: number): readonly SetPagePart[] {
  if (parts.every(({ query }) => resolveRelativeDates(query, atMs) === query)) return parts
  return parts.map((part) => ({ ...part, query: resolveRelativeDates(part.query, atMs) }))
}

/** Returns the types that a page reads, with those that its conditions link to. */
function typesOf(parts: readonly SetPagePart[]): readonly ObjectType[] {
  const [part] = parts
  if (part === undefined || parts.length > 1) return typesOfSet(parts)
  return [part.objectType, ...linkedTypesOf(part.query, part.objectType)]
}

function pageSizeOf(spec: PageSpec): number {
  const maximum = 'parts' in spec ? undefined : spec.maximumPageSize
  const wanted = spec.paging.pageSize ?? undefined
  if (maximum !== undefined) return effectivePageSize(wanted, maximum)
  return effectivePageSize(wanted ?? V2_PAGE_SIZES.default, V2_PAGE_SIZES.maximum)
}

function limitOf(spec: PageSpec, { limits }: ServiceParts): RetrievalLimit {
  if ('parts' in spec || !REVISIONS[spec.revision].hasRetrievalLimit) return 'none'
  return effectiveLimit(limits.listObjectsLimit, spec.objectType.retrievalLimit)
}

function partOf(spec: TypePageSpec): SetPagePart {
  const { objectType, query, selection } = spec
  return { objectType, query, record: { shape: shapeOf(spec), selection } }
}

function shapeOf(
  { revision, objectType, excludeRid = false }: TypePageSpec,
  score?: number,
): RecordShape {
  return revision === 'v2'
    ? flatRecordShape(objectType, { excludeRid, score })
    : recordShape(revision, objectType.apiName)
}

/** Returns the state of a snapshot. The cursor of a set has the versions of all its types. */
function snapshotOf(
  { version, linkedVersions: otherVersions }: StoredPage,
  isSet: boolean,
  takenAtSeconds: number,
): SnapshotState {
  if (isSet) return { version: 0, takenAtSeconds }
  return { version, takenAtSeconds, ...(otherVersions && { otherVersions }) }
}

function isFiltered({ objectType, query }: SetPagePart): boolean {
  return query.kind !== 'everything' || isPartlyHidden(objectType)
}

function namesOf({ objectType: { apiName, titleProperty } }: SetPagePart) {
  return [apiName, titleProperty]
}

function plainPart({ query }: SetPagePart): object {
  return plainQuery(query)
}
