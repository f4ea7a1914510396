/** Reads the objects of a tier of relevance, and what their scores depend on. */
import { nextTurn } from '../../admission/next-turn.ts'
import { RANKED_TIER_MAX, TERM_OBJECTS_COUNTED } from '../../contract/limits.ts'
import { PROBE_RECORD, type RecordShape } from '../../contract/object-record.ts'
import type { RankedPosition } from '../../paging/relevance-cursor.ts'
import {
  averageLengthOf,
  type TextScorer,
  type TextStatistics,
  weightOf,
} from '../../query/relevance-score.ts'
import type { Objects, ReadPageRequest, Reclaimed, StoredPage } from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'
import type { Candidate, Candidates, TierCache, TooMany } from './tier-cache.ts'

/** A tier, and the page of it that is read. */
export interface RankedTier {
  /** `after` has the key of the cursor. */
  readonly request: ReadPageRequest
  /** Undefined on the first page of the tier. */
  readonly position: RankedPosition | undefined
  readonly scorer: TextScorer
  /** The number of objects of the type at the start of the walk. */
  readonly objects: number
}

/** What the pages of tiers are read with. */
export interface TierServices {
  readonly objects: Pick<Objects, 'readPage' | 'readRecords'>
  readonly tierCache: TierCache
}

const CANDIDATE_SHAPE: RecordShape = [
  { literal: '[' },
  { column: 'key' },
  { literal: ',' },
  { column: 'properties' },
  { literal: ']' },
]

/** Returns all objects of a tier, unless its first page finds too many. */
export async function readCandidates(
  tier: RankedTier,
  context: RequestContext,
  { objects, tierCache }: TierServices,
): Promise<Candidates | Reclaimed | TooMany> {
  const { request, position } = tier
  const known = tierCache.find(request)
  if (known !== undefined && (known !== 'tooMany' || position === undefined)) return known
  const found = await measureCandidates(tier, context, objects)
  if (found === 'reclaimed') return found
  const { candidates, isLarge, ...versions } = found
  // The first page of another walk sorts a large tier by key.
  tierCache.keep({ ...request, ...versions }, isLarge ? 'tooMany' : candidates)
  return candidates === 'tooMany' ? candidates : { ...versions, candidates }
}

interface FoundCandidates extends Pick<StoredPage, 'version' | 'linkedVersions'> {
  readonly candidates: readonly Candidate[] | TooMany
  readonly isLarge: boolean
}

async function measureCandidates(
  { request, position, scorer }: RankedTier,
  context: RequestContext,
  objects: Pick<Objects, 'readPage'>,
): Promise<FoundCandidates | Reclaimed> {
  const candidates: Candidate[] = []
  let { version, linkedVersions } = request
  let [after, more]: [StoredPage['last'], boolean] = [undefined, true]
  let isLarge = false
  while (more) {
    const page = await objects.readPage(
      {
        ...request,
        version,
        linkedVersions,
        after,
        record: { shape: CANDIDATE_SHAPE, selection: scorer.properties, separator: '\n' },
        maxObjects: RANKED_TIER_MAX.objects,
        maxBytes: RANKED_TIER_MAX.bytes,
        // A large tier is not scored, unless its walk has begun by scores.
        omitRecords: position === undefined ? 'ifMore' : undefined,
      },
      context,
    )
    if (page === 'reclaimed') return page
    try {
      isLarge ||= page.more
      // A tier that has grown since its first page is read to its end.
      if (isLarge && position === undefined) {
        return { ...versionsOf(page), candidates: 'tooMany', isLarge }
      }
      await measure(page.records, scorer, candidates)
    } finally {
      page.release()
    }
    ;({ version, linkedVersions, more, last: after } = page)
  }
  const versions = { version: version ?? 0, ...(linkedVersions && { linkedVersions }) }
  return { ...versions, candidates, isLarge }
}

function versionsOf({
  version,
  linkedVersions,
}: Pick<StoredPage, 'version' | 'linkedVersions'>): Pick<StoredPage, 'version' | 'linkedVersions'> {
  return { version, ...(linkedVersions && { linkedVersions }) }
}

/** Candidates that are measured before other requests get a turn: about a millisecond. */
const MEASURED_AT_ONCE = 200
const LINE_FEED = 0x0a

async function measure(
  records: Uint8Array,
  scorer: TextScorer,
  candidates: Candidate[],
): Promise<void> {
  const bytes = Buffer.from(records.buffer, records.byteOffset, records.byteLength)
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, at)
    const end = found === -1 ? bytes.length : found
    const record: unknown = JSON.parse(bytes.toString('utf8', at, end))
    const [key, properties] = record as [string, Record<string, unknown>]
    candidates.push({ index: candidates.length, key, texts: scorer.measure(properties) })
    at = end + 1
    if (candidates.length % MEASURED_AT_ONCE === 0) await nextTurn()
  }
}

const EQUAL_WEIGHT = 100

/** Takes the statistics of a tier, as of the version of the request. All pages of the tier keep them. */
export async function takeStatistics(
  { request, scorer: { terms }, objects: count }: RankedTier,
  candidates: readonly Candidate[],
  context: RequestContext,
  { objects }: TierServices,
): Promise<TextStatistics | Reclaimed> {
  const averageLength = averageLengthOf(candidates.map(({ texts }) => texts))
  // A single candidate needs no order, and a single term needs no weight.
  if (terms.length === 1 || candidates.length < 2) {
    return { averageLength, weights: terms.map(() => EQUAL_WEIGHT) }
  }
  const weights: number[] = []
  for (const { query } of terms) {
    const page = await objects.readPage(
      {
        ...request,
        query,
        after: undefined,
        linkedVersions: undefined,
        record: { shape: PROBE_RECORD, selection: undefined },
        maxObjects: TERM_OBJECTS_COUNTED,
        // Only keys are read, and the count must not depend on what is left of the page.
        maxBytes: Number.MAX_SAFE_INTEGER,
        omitRecords: 'always',
      },
      context,
    )
    if (page === 'reclaimed') return page
    page.release()
    weights.push(weightOf(page.count, count))
  }
  return { averageLength, weights }
}
