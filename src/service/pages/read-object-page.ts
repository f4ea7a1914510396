/**
 * Reads a page of objects, for every endpoint and revision: opens the token, reads the store, seals
 * the next token. A page has the objects of one type, or of the parts of a set.
 */

import { hidesProperties, isPartlyHidden } from '../../access/policies/ruled-objects.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { REVISIONS } from '../../contract/revisions.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { continuedState } from '../../paging/continue-expired.ts'
import {
  effectiveLimit,
  objectsStillAllowed,
  pageSizeOf,
  type RetrievalLimit,
} from '../../paging/page-limits.ts'
import type { PageState, SnapshotState, TokenBinding } from '../../paging/page-token.ts'
import {
  type Moment,
  NO_CURSOR,
  nextPageState,
  pageTokenRefused,
} from '../../paging/walk-tokens.ts'
import { hasKind, linkedTypesOf, plainQuery } from '../../query/query-tree.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import {
  type ReadPageRequest,
  type Reclaimed,
  type SetPagePart,
  type StoredPage,
  typesOfSet,
} from '../../store/object-store.ts'
import { readTiers } from '../relevance/read-tiers.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import { changesAfter } from './changes-token.ts'
import type { Page, PagedRequest } from './page.ts'
import { bindPage, type PageSpec, partOf, shapeOf } from './page-spec.ts'
import { readParts, refuseManyTypes } from './read-parts.ts'

export async function readObjectPage(
  request: PagedRequest,
  spec: PageSpec,
  services: ServiceParts,
): Promise<Page> {
  const { memory, admission } = services
  const { context } = request
  const walk = await openWalk(request, spec, services)
  if (walk.isExpired) throw await refuseWalk(request, walk, 'expired', services)
  memory.refuseWhenFull(context.callerId)
  const { round } = admission
  const stored = await readStored(request, walk, services)
  if (stored === 'reclaimed') throw await refuseWalk(request, walk, 'reclaimed', services)
  context.noteRead('parts' in spec ? walk.types : [spec.objectType], stored.count)
  holdRecords(stored, context, services)
  // Sending a large page takes as long as reading one: if it came from another process or a database,
  // other callers get a turn first.
  const turn = admission.resumeTurn(context.callerId, round)
  if (turn !== undefined) await turn
  return sealPage(request, walk, stored, services)
}

/** A walk at the page that is requested. */
interface OpenWalk {
  readonly spec: PageSpec
  /** With absolute dates. */
  readonly parts: readonly SetPagePart[]
  /** The types of the parts, and those that their conditions link to. */
  readonly types: readonly ObjectType[]
  /** Whether the caller sees only a part of what these types have. */
  readonly isPartial: boolean
  readonly binding: TokenBinding
  /** Undefined on the first page. */
  readonly resumed: PageState | undefined
  /** Whether the page token has expired. */
  readonly isExpired: boolean
  readonly nowSeconds: number
  /** When the walk started; undefined if its queries have no relative dates. */
  readonly startedAtMs: number | undefined
}

async function openWalk(
  request: PagedRequest,
  spec: PageSpec,
  services: ServiceParts,
): Promise<OpenWalk> {
  const written = 'parts' in spec ? spec.parts : [partOf(spec)]
  if ('parts' in spec) refuseManyTypes(spec.parts)
  const nowSeconds = services.now() / 1000
  const binding = await bindPage(request, spec, services)
  const { pageToken } = spec.paging
  const opened = services.walkTokens.open(pageToken, binding, nowSeconds) ?? { state: undefined }
  const isExpired = 'expired' in opened
  if ('refused' in opened && !isExpired) throw pageTokenRefused(pageToken, opened.refused)
  const resumed = isExpired ? opened.expired : opened.state
  const isRelative = written.some(({ query }) => hasKind(query, 'relativeDates'))
  const startedAtMs = isRelative ? (startOfWalk(resumed) ?? nowSeconds * 1000) : undefined
  const parts = startedAtMs === undefined ? written : resolveDates(written, startedAtMs)
  const types = typesOf(parts)
  const isPartial = types.some(isPartlyHidden)
  return { spec, parts, types, isPartial, binding, resumed, isExpired, nowSeconds, startedAtMs }
}

/** Returns the error of a walk whose page cannot be read any more, with tokens to go on. */
async function refuseWalk(
  request: PagedRequest,
  walk: OpenWalk,
  refusal: 'expired' | 'reclaimed',
  services: ServiceParts,
): Promise<ObjectQueryError> {
  const { spec, resumed, binding, nowSeconds } = walk
  const { walkTokens } = services
  const snapshotToken =
    refusal === 'expired' && resumed ? walkTokens.renew(resumed, binding, nowSeconds) : undefined
  const next = resumed && continuedState(resumed, { isSet: 'parts' in spec })
  // In key order, the key is enough. Order values are looked up in the row, which may be gone.
  const isInKeyOrder = (spec.order ?? []).length === 0
  const canContinue =
    next && (isInKeyOrder || (await isReadable(request, { ...walk, resumed: next }, services)))
  const continueToken = canContinue ? walkTokens.seal(next, binding, nowSeconds) : undefined
  return pageTokenRefused(spec.paging.pageToken, refusal, { snapshotToken, continueToken })
}

async function isReadable(
  request: PagedRequest,
  walk: OpenWalk,
  services: ServiceParts,
): Promise<boolean> {
  const { spec } = walk
  const probe = { ...walk, spec: { ...spec, paging: { ...spec.paging, pageSize: 1 } } }
  try {
    const page = await readStored(request, probe, services)
    if (page !== 'reclaimed') page.release()
    return page !== 'reclaimed'
  } catch (error) {
    if (error instanceof ObjectQueryError) return false
    throw error
  }
}

/** Reads the page from the store. The cursor of its last record is the one that the token carries. */
function readStored(
  { context, method }: PagedRequest,
  { spec, parts, resumed, isPartial }: OpenWalk,
  services: ServiceParts,
): Promise<StoredPage | Reclaimed> {
  const { served = 0, totalCount, snapshot, end = Infinity } = resumed ?? {}
  const after = resumed?.after.pk === NO_CURSOR.pk ? undefined : resumed?.after
  const pageSize = pageSizeOf('parts' in spec ? undefined : spec.maximumPageSize, spec.paging)
  // The only slice without objects is that of an empty snapshot.
  const wanted = Math.min(pageSize, Math.max(1, end - served))
  const budget = {
    maxObjects: objectsStillAllowed(served, wanted, limitOf(spec, services)),
    maxBytes: services.limits.pageMaxBytes,
    // The token of a counted walk carries the count.
    includeTotalCount: spec.includeTotalCount && totalCount === undefined,
  }
  if ('parts' in spec) {
    const request = { ...budget, parts, order: spec.order, after }
    return readParts(request, spec.paging.snapshot ?? false, context, services)
  }
  const request: ReadPageRequest = {
    ...budget,
    ...(parts[0] ?? partOf(spec)),
    order: spec.order ?? [],
    after,
    version: snapshot?.version,
    linkedVersions: snapshot?.otherVersions,
    // For the entity tag. A row also changes with its hidden properties.
    includeRowIds: isPartial && !hidesProperties(spec.objectType) && method !== 'POST',
    matchEstimate: totalCount ?? resumed?.matchEstimate,
  }
  return spec.isByRelevance
    ? readTiers(request, (score) => shapeOf(spec, score), context, services)
    : services.objects.readPage(request, context)
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

/** Returns the page with the token of the next one. */
async function sealPage(
  request: PagedRequest,
  walk: OpenWalk,
  stored: StoredPage,
  services: ServiceParts,
): Promise<Page> {
  const { walkTokens } = services
  const { spec, parts, isPartial, binding, resumed, nowSeconds, startedAtMs } = walk
  const alreadySent = resumed?.served ?? 0
  // The first page of a snapshot walk fixes the version that all later pages read.
  const snapshot = spec.paging.snapshot
    ? (resumed?.snapshot ?? snapshotOf(stored, 'parts' in spec, nowSeconds))
    : undefined
  // The count of a filtered walk or of a snapshot is taken once. The count of a type costs nothing.
  const countOnce = 'parts' in spec || snapshot !== undefined || parts.some(isFiltered)
  const totalCount = (countOnce ? resumed?.totalCount : undefined) ?? stored.totalCount
  const next = nextPageState(stored, {
    alreadySent,
    snapshot,
    totalCount: countOnce ? totalCount : undefined,
    matchEstimate: stored.matchEstimate,
    startedAtMs,
    listedTypes: spec.listedTypes,
    end: resumed?.end,
    isContinued: resumed?.isContinued,
  })
  const isComplete = next === undefined && snapshot !== undefined && !resumed?.isContinued
  return {
    records: stored.records,
    count: stored.count,
    nextChangesToken: isComplete
      ? await changesAfter(request, walk, momentOf(stored, snapshot), services)
      : undefined,
    nextPageToken: walkTokens.seal(next, binding, nowSeconds),
    totalCount: spec.includeTotalCount ? (totalCount ?? 0) : undefined,
    version: isPartial || parts.length !== 1 ? undefined : stored.version,
    isTaggedByContent: isPartial && stored.rowIds === undefined,
    etagInputs: [
      binding.request.toString('base64url'),
      binding.caller.toString('base64url'),
      // Records contain the names, which can change without a new version.
      walkTokens.hashText(JSON.stringify(parts.map(namesOf))),
      // Relative dates select other objects the next day.
      ...(startedAtMs === undefined
        ? []
        : [walkTokens.hashText(JSON.stringify(parts.map(({ query }) => plainQuery(query))))]),
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
function startOfWalk(resumed: PageState | undefined): number | undefined {
  const { snapshot, startedAtMs } = resumed ?? {}
  return snapshot === undefined ? startedAtMs : Math.round(snapshot.takenAtSeconds * 1000)
}

function resolveDates(parts: readonly SetPagePart[], atMs: number): readonly SetPagePart[] {
  return parts.map((part) => ({ ...part, query: resolveRelativeDates(part.query, atMs) }))
}

function typesOf(parts: readonly SetPagePart[]): readonly ObjectType[] {
  const [part] = parts
  if (part === undefined || parts.length > 1) return typesOfSet(parts)
  return [part.objectType, ...linkedTypesOf(part.query, part.objectType)]
}

function limitOf(spec: PageSpec, { limits }: ServiceParts): RetrievalLimit {
  if ('parts' in spec || !REVISIONS[spec.revision].hasRetrievalLimit) return 'none'
  return effectiveLimit(limits.listObjectsLimit, spec.objectType.retrievalLimit)
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

/** Returns the versions of all types that a page has read, in the order of `typesOfSet`. */
function momentOf(
  { version, linkedVersions = [] }: StoredPage,
  { takenAtSeconds }: SnapshotState,
): Moment {
  return { versions: [version, ...linkedVersions], takenAtSeconds }
}

function isFiltered({ objectType, query }: SetPagePart): boolean {
  return query.kind !== 'everything' || isPartlyHidden(objectType)
}

function namesOf({ objectType: { apiName, titleProperty } }: SetPagePart) {
  return [apiName, titleProperty]
}
