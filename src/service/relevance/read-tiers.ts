/**
 * Reads a page of the matches of a query in the order of their relevance: tier after tier, each
 * sorted by score, or by key if it has too many matches. All tiers are read as of one version.
 */

import { ObjectQueryError } from '../../contract/errors.ts'
import { PROBE_RECORD, type RecordShape } from '../../contract/object-record.ts'
import {
  decodeRelevanceCursor,
  encodeRelevanceCursor,
  type RankedPosition,
  type RelevanceCursor,
} from '../../paging/relevance-cursor.ts'
import { EVERYTHING } from '../../query/query.ts'
import { hasLink } from '../../query/query-tree.ts'
import { type TextScorer, textScorer } from '../../query/relevance-score.ts'
import { relevanceTiers } from '../../query/relevance-tiers.ts'
import type { Cursor, ReadPageRequest, Reclaimed, StoredPage } from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'
import { readRankedTier } from './rank-tier.ts'
import type { TierServices } from './tier-candidates.ts'

export async function readTiers(
  request: ReadPageRequest,
  shapeOf: (score: number) => RecordShape,
  context: RequestContext,
  services: TierServices,
): Promise<StoredPage | Reclaimed> {
  const pages: StoredPage[] = []
  const release = () => {
    for (const page of pages) page.release()
  }
  try {
    const walked = await walkTiers(pages, request, shapeOf, context, services)
    if (walked === 'reclaimed') return walked
    const { version, linkedVersions } = walked
    const start = { after: undefined, version, linkedVersions }
    const counted = { ...request, ...start, maxObjects: 1, maxBytes: 1 }
    const count = request.includeTotalCount
      ? await readProbe(counted, context, services)
      : undefined
    const totalCount = count === 'reclaimed' ? undefined : count?.totalCount
    return { ...walked, ...joined(pages), totalCount, matchEstimate: undefined }
  } catch (error) {
    throw request.version === undefined ? withoutToken(error, request) : error
  } finally {
    release()
  }
}

/**
 * The version of the tiers was chosen here. If the type is converted meanwhile, the definition of the
 * request is out of date; the client has sent no page token that could be invalid.
 */
function withoutToken(error: unknown, { objectType }: ReadPageRequest): unknown {
  const isToken = error instanceof ObjectQueryError && error.errorName === 'InvalidPageToken'
  if (!isToken) return error
  return new ObjectQueryError('OntologyDefinitionOutOfSync', {
    objectTypeRid: objectType.rid,
    reason: 'the object type was changed while the request was being read',
  })
}

type WalkedTiers = Pick<StoredPage, 'last' | 'more' | 'version' | 'linkedVersions'>

/** Reads the tiers that the page takes objects from, and adds their pages. */
async function walkTiers(
  pages: StoredPage[],
  request: ReadPageRequest,
  shapeOf: (score: number) => RecordShape,
  context: RequestContext,
  services: TierServices,
): Promise<WalkedTiers | Reclaimed> {
  const resumed = request.after && decodeRelevanceCursor(request.after)
  const first = resumed?.tier ?? 0
  const scorer = textScorer(request.query, request.objectType)
  const start = await startOf(request, resumed, scorer, context, services)
  if (start === 'reclaimed') return start
  const { objects } = start
  let { version } = start
  let { linkedVersions, maxObjects, maxBytes } = request
  let last: Cursor | undefined
  for (const [offset, { query, score }] of relevanceTiers(request.query).slice(first).entries()) {
    const cursor = offset === 0 ? resumed : undefined
    const record = { ...request.record, shape: shapeOf(score) }
    const tier: ReadPageRequest = {
      ...request,
      query,
      after: cursor && { pk: cursor.pk, version: 0 },
      version,
      linkedVersions,
      record,
      maxObjects,
      maxBytes,
      includeTotalCount: false,
      matchEstimate: undefined,
    }
    const isFull = maxObjects === 0 || maxBytes <= 0
    const read = isFull
      ? byKey(await readProbe({ ...tier, maxObjects: 1, maxBytes: 1 }, context, services))
      : await readTier({ request: tier, cursor, scorer, objects }, context, services)
    if (read === 'reclaimed') return read
    const { page, position } = read
    version = page.version
    linkedVersions = page.linkedVersions
    // A page holds at least one object, which may be too large for what is left of the budget.
    if (page.count > 0 && (isFull || (last !== undefined && page.records.length > maxBytes))) {
      page.release()
      return { last, more: true, version, ...(linkedVersions && { linkedVersions }) }
    }
    pages.push(page)
    if (page.last !== undefined) {
      const { pk } = page.last
      last = encodeRelevanceCursor({ tier: first + offset, pk, objects, ranked: position })
    }
    if (page.more) return { last, more: true, version, ...(linkedVersions && { linkedVersions }) }
    maxObjects -= page.count
    maxBytes -= page.records.length + 1
  }
  return { last, more: false, version: version ?? 0, ...(linkedVersions && { linkedVersions }) }
}

interface TierSpec {
  readonly request: ReadPageRequest
  readonly cursor: RelevanceCursor | undefined
  readonly scorer: TextScorer | undefined
  readonly objects: number
}

interface TierPage {
  readonly page: StoredPage
  /** Undefined if the tier is sorted by key. */
  readonly position: RankedPosition | undefined
}

/** Reads a page of a tier. A tier that was entered in one order is read to its end in that order. */
async function readTier(
  { request, cursor, scorer, objects }: TierSpec,
  context: RequestContext,
  services: TierServices,
): Promise<TierPage | Reclaimed> {
  const isByKey = scorer === undefined || (cursor !== undefined && cursor.ranked === undefined)
  if (!isByKey) {
    const tier = { request, position: cursor?.ranked, scorer, objects }
    const ranked = await readRankedTier(tier, context, services)
    if (ranked !== 'tooMany') return ranked
  }
  return byKey(await services.objects.readPage(request, context))
}

function byKey(page: StoredPage | Reclaimed): TierPage | Reclaimed {
  return page === 'reclaimed' ? page : { page, position: undefined }
}

interface WalkStart {
  readonly version: number | undefined
  /** The number of objects of the type at the start of the walk; 0 if it does not matter. */
  readonly objects: number
}

/** Returns the version to read, as far as it is known, and the number of objects. */
async function startOf(
  request: ReadPageRequest,
  resumed: RelevanceCursor | undefined,
  scorer: TextScorer | undefined,
  context: RequestContext,
  services: TierServices,
): Promise<WalkStart | Reclaimed> {
  const { version } = request
  const known = resumed?.objects ?? (scorer === undefined ? 0 : undefined)
  if (known !== undefined && (version !== undefined || scorer === undefined)) {
    return { version, objects: known }
  }
  const all = await readProbe(
    { ...request, ...FIRST_OBJECT, query: EVERYTHING, linkedVersions: undefined },
    context,
    services,
  )
  if (all === 'reclaimed') return all
  // The versions of linked types must be read together with that of the type.
  const isOpen = hasLink(request.query)
  return { version: isOpen ? version : all.version, objects: known ?? all.totalCount ?? 0 }
}

const FIRST_OBJECT = { after: undefined, maxObjects: 1, maxBytes: 1 } as const

/** Reads whether there is an object, and how many. */
async function readProbe(
  request: ReadPageRequest,
  context: RequestContext,
  services: TierServices,
): Promise<StoredPage | Reclaimed> {
  const page = await services.objects.readPage(
    { ...request, record: { shape: PROBE_RECORD, selection: undefined }, omitRecords: 'always' },
    context,
  )
  if (page !== 'reclaimed') page.release()
  return page
}

function joined(pages: readonly StoredPage[]): Pick<StoredPage, 'records' | 'release' | 'count'> {
  const filled = pages.filter(({ count }) => count > 0)
  const parts = filled.flatMap(({ records }, index) => (index === 0 ? [records] : [COMMA, records]))
  const count = filled.reduce((sum, page) => sum + page.count, 0)
  return { records: Buffer.concat(parts), release: () => {}, count }
}

const COMMA = Buffer.from(',')
