/**
 * Reads a page of objects, for every endpoint and revision. A page has the objects of one type, or of
 * the parts of a set.
 */

import { isPartlyHidden, ShownVersion, shownProperties } from '../../access/ruled-objects.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { SET_PAGE_MAX_TYPES } from '../../contract/limits.ts'
import { REVISIONS } from '../../contract/revisions.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { continuedState } from '../../paging/continue-expired.ts'
import { effectiveLimit, objectsStillAllowed, pageSizeOf } from '../../paging/page-limits.ts'
import type { PageState, SnapshotState, TokenBinding } from '../../paging/page-token.ts'
import { decodeSetPosition, encodeSetPosition } from '../../paging/set-cursor.ts'
import { NO_CURSOR, type WalkTokens } from '../../paging/walk-tokens.ts'
import { hasKind, linkedTypesOf, plainQuery } from '../../query/query-tree.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import {
  type Cursor,
  type Objects,
  type ReadPageRequest,
  type ReadSetPageRequest,
  type Reclaimed,
  type SetPagePart,
  type StoredPage,
  typesOfSet,
} from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'
import { readTiers } from '../relevance/read-tiers.ts'
import type { ServiceParts } from '../service-parts.ts'
import { changesAfter } from './changes-token.ts'
import type { Page, PagedRequest } from './page.ts'
import { bindPage, type PageSpec, shapeOf } from './page-spec.ts'
import { readWalkPage, type WalkedPage, type WalkMoment } from './walk.ts'

export async function readObjectPage(
  request: PagedRequest,
  spec: PageSpec,
  services: ServiceParts,
): Promise<Page> {
  if (spec.kind === 'set') refuseManyTypes(spec.parts)
  const binding = await bindPage(request, spec, services)
  const { pageToken } = spec.paging
  return readWalkPage(
    request,
    {
      pageToken,
      binding,
      read: async (at) => {
        const walk = startPage(spec, at)
        const stored = await readStored(request, walk, services)
        return stored === 'reclaimed' ? stored : pageOf(stored, walk, binding, request, services)
      },
      continued: (at) => continuedWalk(request, spec, at, services),
    },
    services,
  )
}

/** A page whose walk is open. */
interface StartedPage extends WalkMoment {
  readonly spec: PageSpec
  /** With absolute dates. */
  readonly parts: readonly SetPagePart[]
  /** The types of the parts, and those that their conditions link to. */
  readonly types: readonly ObjectType[]
  /** Whether the caller sees only a part of what these types have. */
  readonly isPartial: boolean
  /** When the walk started; undefined if its queries have no relative dates. */
  readonly startedAtMs: number | undefined
}

function startPage(spec: PageSpec, at: WalkMoment): StartedPage {
  const isRelative = spec.parts.some(({ query }) => hasKind(query, 'relativeDates'))
  const startedAtMs = isRelative ? (startOfWalk(at.resumed) ?? at.nowSeconds * 1000) : undefined
  const parts = startedAtMs === undefined ? spec.parts : resolveDates(spec.parts, startedAtMs)
  const types = typesOf(parts)
  return { ...at, spec, parts, types, isPartial: types.some(isPartlyHidden), startedAtMs }
}

/** Returns the state from which a walk goes on as of now; undefined if it cannot. */
async function continuedWalk(
  request: PagedRequest,
  spec: PageSpec,
  at: WalkMoment,
  services: ServiceParts,
): Promise<PageState | undefined> {
  const next = at.resumed && continuedState(at.resumed, { isSet: spec.kind === 'set' })
  // In key order, the key is enough. Order values are looked up in the row, which may be gone.
  if (next === undefined || spec.order.length === 0) return next
  const probe = { ...spec, paging: { ...spec.paging, pageSize: 1 } }
  try {
    const page = await readStored(request, startPage(probe, { ...at, resumed: next }), services)
    if (page === 'reclaimed') return undefined
    page.release()
    return next
  } catch (error) {
    if (error instanceof ObjectQueryError) return undefined
    throw error
  }
}

/** Reads the page from the store. The cursor of its last record is the one that the token carries. */
function readStored(
  { context, method }: PagedRequest,
  { spec, parts, resumed, isPartial }: StartedPage,
  services: ServiceParts,
): Promise<StoredPage | Reclaimed> {
  const { served = 0, totalCount, snapshot, end = Infinity } = resumed ?? {}
  const after = resumed?.after.pk === NO_CURSOR.pk ? undefined : resumed?.after
  const isSet = spec.kind === 'set'
  const pageSize = pageSizeOf(isSet ? undefined : spec.maximumPageSize, spec.paging)
  const limit =
    isSet || !REVISIONS[spec.revision].hasRetrievalLimit
      ? 'none'
      : effectiveLimit(services.limits.listObjectsLimit, spec.objectType.retrievalLimit)
  // The only slice without objects is that of an empty snapshot.
  const wanted = Math.min(pageSize, Math.max(1, end - served))
  const budget = {
    maxObjects: objectsStillAllowed(served, wanted, limit),
    maxBytes: services.limits.pageMaxBytes,
    // The token of a counted walk carries the count.
    includeTotalCount: spec.includeTotalCount && totalCount === undefined,
  }
  if (isSet) {
    const request = { ...budget, parts, order: spec.order, after }
    return readParts(request, spec.paging.snapshot ?? false, context, services)
  }
  const [part = spec.parts[0]] = parts
  const request: ReadPageRequest = {
    ...budget,
    ...part,
    order: spec.order,
    after,
    version: snapshot?.version,
    linkedVersions: snapshot?.otherVersions,
    // For the entity tag. A row also changes with its hidden properties.
    includeRowIds: isPartial && shownProperties(spec.objectType) === undefined && method !== 'POST',
    matchEstimate: totalCount ?? resumed?.matchEstimate,
  }
  return spec.isByRelevance
    ? readTiers(request, (score) => shapeOf(spec, score), context, services)
    : services.objects.readPage(request, context)
}

type PartsRequest = Omit<ReadSetPageRequest, 'after' | 'versions'> & {
  readonly after: Cursor | undefined
}

/**
 * Reads a page of several types. Its cursor has the part that the page ended in and, in a snapshot
 * walk, the version of every type, all as of one moment.
 */
async function readParts(
  { after, ...request }: PartsRequest,
  isSnapshot: boolean,
  context: RequestContext,
  { objects }: { readonly objects: Pick<Objects, 'readSetPage'> },
): Promise<StoredPage | Reclaimed> {
  const position = after && decodeSetPosition(after.pk)
  const stored = await objects.readSetPage(
    {
      ...request,
      after: position && { ...position, version: after.version },
      versions: position?.versions,
    },
    context,
  )
  if (stored === 'reclaimed') return stored
  const { versions, last, ...page } = stored
  const [version = 0, ...linkedVersions] = versions
  // The first page of a snapshot walk fixes the versions that all later pages read.
  const fixed = isSnapshot ? (position?.versions ?? versions) : undefined
  return {
    ...page,
    last: last && {
      pk: encodeSetPosition({ part: last.part, pk: last.pk, versions: fixed }),
      version: last.version,
    },
    version,
    linkedVersions,
    matchEstimate: undefined,
  }
}

function refuseManyTypes(parts: readonly SetPagePart[]): void {
  const { length } = typesOfSet(parts)
  if (length <= SET_PAGE_MAX_TYPES) return
  throw new ObjectQueryError('UnsupportedObjectSet', {
    reason: `reads ${length} object types; one request can read ${SET_PAGE_MAX_TYPES}`,
  })
}

/** Returns the page that was read, with what its tokens carry. */
function pageOf(
  stored: StoredPage,
  walk: StartedPage,
  binding: TokenBinding,
  request: PagedRequest,
  services: ServiceParts,
): WalkedPage {
  const { spec, parts, types, isPartial, resumed, nowSeconds, startedAtMs } = walk
  const isSet = spec.kind === 'set'
  // The first page of a snapshot walk fixes the version that all later pages read.
  const snapshot = spec.paging.snapshot
    ? (resumed?.snapshot ?? snapshotOf(stored, isSet, nowSeconds))
    : undefined
  // The count of a filtered walk or of a snapshot is taken once. The count of a type costs nothing.
  const countOnce = isSet || snapshot !== undefined || parts.some(isFiltered)
  const totalCount = (countOnce ? resumed?.totalCount : undefined) ?? stored.totalCount
  const { records, release, count, last, more, version, linkedVersions = [], rowIds } = stored
  const { walkTokens } = services
  return {
    ...{ records, release, count, last, more },
    noted: { types: isSet ? types : [spec.objectType], objects: count },
    totalCount: spec.includeTotalCount ? (totalCount ?? 0) : undefined,
    version: parts.length === 1 ? ShownVersion.read(types, version) : undefined,
    isTaggedByContent: isPartial && rowIds === undefined,
    etagInputs: etagInputsOf({ ...walk, ...stored, binding, totalCount }, walkTokens),
    common: {
      snapshot,
      totalCount: countOnce ? totalCount : undefined,
      matchEstimate: stored.matchEstimate,
      startedAtMs,
      listedTypes: spec.listedTypes,
      end: resumed?.end,
      isContinued: resumed?.isContinued,
    },
    ...(snapshot !== undefined &&
      !resumed?.isContinued && {
        sealChanges: () => {
          const { takenAtSeconds } = snapshot
          const moment = { versions: [version, ...linkedVersions], takenAtSeconds }
          return changesAfter(request, spec, moment, services)
        },
      }),
  }
}

/** The parts of a page on which its entity tag depends. */
interface TaggedPage
  extends Pick<StartedPage, 'parts' | 'isPartial' | 'startedAtMs'>,
    Pick<StoredPage, 'version' | 'linkedVersions' | 'rowIds' | 'totalCount'> {
  readonly binding: TokenBinding
}

/** Returns what the entity tag of a page of objects is made of, besides what all walks have. */
export function etagInputsOf(
  page: TaggedPage,
  walkTokens: Pick<WalkTokens, 'hashText' | 'keyedHash'>,
): readonly (string | number)[] {
  const { binding, parts, isPartial, startedAtMs, version, linkedVersions = [], rowIds } = page
  const names = parts.map(({ objectType }) => [objectType.apiName, objectType.titleProperty])
  const queries = () => JSON.stringify(parts.map(({ query }) => plainQuery(query)))
  return [
    // Another request has another page, also at the same path: its token continues another walk.
    binding.request.toString('base64url'),
    // Records contain the names, which can change without a new version.
    walkTokens.hashText(JSON.stringify(names)),
    // Relative dates select other objects the next day.
    startedAtMs === undefined ? '' : walkTokens.hashText(queries()),
    // A version has one content. It also changes with hidden objects, and would reveal that.
    isPartial ? '' : [version, ...linkedVersions].join('-'),
    // In its place, the rows of the page, by a hash that nobody can guess them from.
    rowIds === undefined ? '' : walkTokens.keyedHash(rowIds),
    // Responses contain the count, which in a filtered walk is that of the first page.
    page.totalCount ?? 0,
  ]
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
