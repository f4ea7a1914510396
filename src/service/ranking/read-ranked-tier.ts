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
import type { ReadPageRequest, Reclaimed, StoredPage } from '../../store/object-store.ts'
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
  const page = await readRecords(request, ranked.slice(0, request.maxObjects), context, services)
  if (page === 'reclaimed') return page
  const more = page.count < ranked.length
  const lastOne = ranked[page.count - 1]
  if (lastOne === undefined) throw new Error('a page has at least one record')
  const last = { pk: storedKey(lastOne, request.objectType), version: 0 }
  const { weights, averageLength } = statistics
  return {
    page: { ...page, ...versions, last, more },
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

/** Reads the records of objects in their order: all of them, or as many as surely fit. */
async function readRecords(
  request: ReadPageRequest,
  ranked: readonly Candidate[],
  context: RequestContext,
  { objects }: TierServices,
): Promise<StoredPage | Reclaimed> {
  for (let count = ranked.length; ; count = Math.ceil(count / 2)) {
    const wanted = ranked.slice(0, count)
    const page = await objects.readPage(
      {
        ...request,
        query: { kind: 'objectIds', ids: wanted.map(({ objectId }) => objectId) },
        linkedVersions: undefined,
        after: undefined,
        record: { ...request.record, separator: '\n' },
        maxObjects: count,
      },
      context,
    )
    if (page === 'reclaimed') return page
    try {
      if (!page.more) return { ...page, records: inOrder(page, wanted), release: () => {} }
    } finally {
      page.release()
    }
  }
}

/** Returns records that are in key order in the order of the candidates. */
function inOrder({ records, count }: StoredPage, wanted: readonly Candidate[]): Uint8Array {
  if (count !== wanted.length) throw new Error(`found ${count} of ${wanted.length} objects`)
  const bytes = Buffer.from(records.buffer, records.byteOffset, records.byteLength)
  const lines = bytes.toString('utf8').split('\n')
  const byKey = wanted.toSorted((a, b) => a.index - b.index)
  const lineOf = new Map(byKey.map((candidate, at) => [candidate, lines[at] ?? '']))
  return Buffer.from(wanted.map((candidate) => lineOf.get(candidate) ?? '').join(','))
}
