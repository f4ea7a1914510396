/**
 * Reads a page of a tier whose objects are sorted by score, and by key if their scores are equal. All
 * objects of the tier are scored for each page, so larger tiers are sorted by key instead.
 *
 * The first page of a tier takes the statistics that scores depend on, and the cursor keeps them. The
 * score of an object then changes only if the object does.
 */

import type { ObjectType } from '../../ontology/ontology.ts'
import { readPrimaryKey } from '../../ontology/values/primary-key.ts'
import type { RankedPosition } from '../../paging/relevance-cursor.ts'
import { scoreOf, type TextStatistics } from '../../query/relevance-score.ts'
import type { Reclaimed, StoredPage } from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'
import type { Candidate, TooMany } from './tier-cache.ts'
import {
  type RankedTier,
  readCandidates,
  type TierServices,
  takeStatistics,
} from './tier-candidates.ts'

export interface RankedPage {
  readonly page: StoredPage
  /** The position of the last record; undefined for an empty page. */
  readonly position: RankedPosition | undefined
}

/** Reads a page, unless the first page of the tier finds too many objects. */
export async function readRankedTier(
  tier: RankedTier,
  context: RequestContext,
  services: TierServices,
): Promise<RankedPage | Reclaimed | TooMany> {
  const found = await readCandidates(tier, context, services)
  if (found === 'tooMany' || found === 'reclaimed') return found
  const { candidates, ...versions } = found
  const request = { ...tier.request, ...versions }
  const statistics =
    tier.position ?? (await takeStatistics({ ...tier, request }, candidates, context, services))
  if (statistics === 'reclaimed') return statistics
  const ranked = rankCandidates(candidates, statistics, tier)
  if (ranked.length === 0) return { page: { ...EMPTY_PAGE, ...versions }, position: undefined }
  const { objectType, record, maxObjects, maxBytes } = request
  const keys = ranked.slice(0, maxObjects).map((candidate) => storedKey(candidate, objectType))
  const page = await services.objects.readRecords(
    {
      objectType,
      keys,
      version: versions.version,
      isOfDefinition: true,
      record,
      maxObjects,
      maxBytes,
    },
    context,
  )
  if (page === 'reclaimed') return page
  const lastOne = ranked[page.count - 1]
  if (lastOne === undefined) throw new Error('a page has at least one record')
  const { weights, averageLength } = statistics
  return {
    page: { ...page, ...versions, more: page.count < ranked.length },
    position: { score: lastOne.score, averageLength, weights },
  }
}

const EMPTY_PAGE = {
  records: new Uint8Array(0),
  release: () => {},
  count: 0,
  last: undefined,
  more: false,
  totalCount: undefined,
  matchEstimate: undefined,
} as const satisfies Partial<StoredPage>

interface RankedCandidate extends Candidate {
  readonly score: number
}

/** Returns the candidates after the cursor, the best first. */
function rankCandidates(
  candidates: readonly Candidate[],
  statistics: TextStatistics,
  { request: { objectType, after }, position }: RankedTier,
): RankedCandidate[] {
  const scored = candidates.map((candidate): RankedCandidate => {
    return { ...candidate, score: scoreOf(candidate.texts, statistics) }
  })
  const cursorKey = Buffer.from(after?.pk ?? '')
  const isAfter = (candidate: RankedCandidate) => {
    if (position === undefined) return true
    if (candidate.score !== position.score) return candidate.score < position.score
    // Stores sort keys by their UTF-8 bytes.
    return Buffer.compare(Buffer.from(storedKey(candidate, objectType)), cursorKey) > 0
  }
  return scored.filter(isAfter).sort((a, b) => b.score - a.score || a.index - b.index)
}

function storedKey({ key }: Candidate, { primaryKey: { type } }: ObjectType): string {
  return readPrimaryKey(type, key).pk
}
