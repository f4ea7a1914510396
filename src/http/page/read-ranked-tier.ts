/**
 * Reads a page of a tier whose objects are sorted by score, and by key if their scores are equal. All
 * matches of the tier are scored for each page, so larger tiers are sorted by key instead.
 *
 * The first page of a tier takes the statistics that scores depend on, and the cursor keeps them. The
 * score of an object then changes only if the object does.
 */
import { nextTurn } from '../../admission/next-turn.ts'
import type { RequestContext } from '../../admission/request-context.ts'
import { RANKED_TIER_MAX, TERM_OBJECTS_COUNTED } from '../../contract/limits.ts'
import { PROBE_RECORD, type RecordShape } from '../../contract/object-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { readPrimaryKey } from '../../ontology/values/primary-key.ts'
import type { RankedPosition } from '../../paging/relevance-cursor.ts'
import { EVERYTHING } from '../../query/query.ts'
import {
  averageLengthOf,
  type MeasuredTexts,
  scoreOf,
  type TextScorer,
  type TextStatistics,
  weightOf,
} from '../../query/relevance-score.ts'
import type {
  ObjectStore,
  ReadPageRequest,
  Reclaimed,
  StoredPage,
} from '../../store/object-store.ts'

export interface RankedPage {
  readonly page: StoredPage
  /** The position of the last record; undefined for an empty page. */
  readonly position: RankedPosition | undefined
}

export interface RankedTier {
  /** `after` is the key of the cursor. */
  readonly request: ReadPageRequest
  readonly position: RankedPosition | undefined
  readonly scorer: TextScorer
}

type PageReader = Pick<ObjectStore, 'readPage'>

/** Returns undefined if the first page of the tier finds too many matches. */
export async function readRankedTier(
  { request, position, scorer }: RankedTier,
  context: RequestContext,
  store: PageReader,
): Promise<RankedPage | Reclaimed | undefined> {
  const found = await readCandidates({ request, position, scorer }, context, store)
  if (found === undefined || found === 'reclaimed') return found
  const { candidates, version, linkedVersions } = found
  const versions = { version, ...(linkedVersions && { linkedVersions }) }
  const read = { ...request, ...versions }
  const statistics = position ?? (await takeStatistics(read, scorer, candidates, context, store))
  if (statistics === 'reclaimed') return statistics
  const ranked = rankCandidates(candidates, statistics, request, position)
  if (ranked.length === 0) return { page: { ...EMPTY_PAGE, ...versions }, position: undefined }
  const page = await readRecords(read, ranked.slice(0, request.maxObjects), context, store)
  if (page === 'reclaimed') return page
  const last = ranked[page.count - 1]
  return {
    page: {
      ...page,
      ...versions,
      last: last && lastOf(last, request),
      more: page.count < ranked.length,
    },
    position: last && { ...statistics, score: last.score },
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

interface Candidate {
  /** The position in key order. */
  readonly index: number
  /** The primary key as JSON text. */
  readonly key: string
  readonly objectId: string
  readonly texts: MeasuredTexts
}

interface Candidates extends Pick<StoredPage, 'version' | 'linkedVersions'> {
  readonly candidates: readonly Candidate[]
}

const CANDIDATE_SHAPE: RecordShape = [
  { literal: '["' },
  { column: 'objectId' },
  { literal: '",' },
  { column: 'key' },
  { literal: ',' },
  { column: 'properties' },
  { literal: ']' },
]

/** Reads all matches of the tier. */
async function readCandidates(
  { request, position, scorer }: RankedTier,
  context: RequestContext,
  store: PageReader,
): Promise<Candidates | Reclaimed | undefined> {
  const candidates: Candidate[] = []
  let { version, linkedVersions } = request
  let [after, more]: [StoredPage['last'], boolean] = [undefined, true]
  while (more) {
    const page = await store.readPage(
      {
        ...request,
        version,
        linkedVersions,
        after,
        record: { shape: CANDIDATE_SHAPE, selection: scorer.properties, separator: '\n' },
        maxObjects: RANKED_TIER_MAX.objects,
        maxBytes: RANKED_TIER_MAX.bytes,
        includeTotalCount: false,
      },
      context,
    )
    if (page === 'reclaimed') return page
    try {
      // A tier that has grown since its first page is read to its end.
      if (page.more && position === undefined) return undefined
      await measure(page.records, scorer, candidates)
    } finally {
      page.release()
    }
    ;({ version, linkedVersions, more } = page)
    after = page.last
  }
  return { candidates, version: version ?? 0, ...(linkedVersions && { linkedVersions }) }
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
    const [objectId, key, properties] = JSON.parse(bytes.toString('utf8', at, end)) as [
      string,
      string,
      Record<string, unknown>,
    ]
    candidates.push({
      index: candidates.length,
      key,
      objectId,
      texts: scorer.measure(properties),
    })
    at = end + 1
    if (candidates.length % MEASURED_AT_ONCE === 0) await nextTurn()
  }
}

/** Takes the statistics of a tier, which all its pages keep. */
async function takeStatistics(
  request: ReadPageRequest,
  { terms }: TextScorer,
  candidates: readonly Candidate[],
  context: RequestContext,
  store: PageReader,
): Promise<TextStatistics | Reclaimed> {
  const averageLength = averageLengthOf(candidates.map(({ texts }) => texts))
  // The weight of a single term does not change the order, and a single candidate has none.
  if (terms.length === 1 || candidates.length < 2) {
    return { averageLength, weights: terms.map(() => EQUAL_WEIGHT) }
  }
  const probe: ReadPageRequest = {
    ...request,
    after: undefined,
    linkedVersions: undefined,
    record: { shape: PROBE_RECORD, selection: undefined },
    includeTotalCount: false,
    matchEstimate: undefined,
    maxObjects: 1,
  }
  const all = await store.readPage(
    { ...probe, query: EVERYTHING, includeTotalCount: true },
    context,
  )
  if (all === 'reclaimed') return all
  all.release()
  const weights: number[] = []
  for (const { query } of terms) {
    const page = await store.readPage(
      { ...probe, query, maxObjects: TERM_OBJECTS_COUNTED },
      context,
    )
    if (page === 'reclaimed') return page
    page.release()
    weights.push(weightOf(page.count, all.totalCount ?? 0))
  }
  return { averageLength, weights }
}

const EQUAL_WEIGHT = 100

interface RankedCandidate extends Candidate {
  readonly score: number
}

/** Returns the candidates after the cursor, the best first. */
function rankCandidates(
  candidates: readonly Candidate[],
  statistics: TextStatistics,
  { objectType, after }: Pick<ReadPageRequest, 'objectType' | 'after'>,
  position: RankedPosition | undefined,
): RankedCandidate[] {
  const scored = candidates.map((candidate): RankedCandidate => {
    return { ...candidate, score: scoreOf(candidate.texts, statistics) }
  })
  const isAfter = (candidate: RankedCandidate) => {
    if (position === undefined || after === undefined) return true
    if (candidate.score !== position.score) return candidate.score < position.score
    return Buffer.compare(Buffer.from(storedKey(candidate, objectType)), Buffer.from(after.pk)) > 0
  }
  return scored.filter(isAfter).sort((a, b) => b.score - a.score || a.index - b.index)
}

function storedKey({ key }: Candidate, { primaryKey: { type } }: ObjectType): string {
  return readPrimaryKey(type, key).pk
}

function lastOf(candidate: Candidate, { objectType }: ReadPageRequest): StoredPage['last'] {
  return { pk: storedKey(candidate, objectType), version: 0 }
}

/** Reads the records of objects in their order: all of them, or as many as surely fit. */
async function readRecords(
  request: ReadPageRequest,
  ranked: readonly Candidate[],
  context: RequestContext,
  store: PageReader,
): Promise<StoredPage | Reclaimed> {
  for (let count = ranked.length; ; count = Math.ceil(count / 2)) {
    const wanted = ranked.slice(0, count)
    const page = await store.readPage(
      {
        ...request,
        query: { kind: 'objectIds', ids: wanted.map(({ objectId }) => objectId) },
        linkedVersions: undefined,
        after: undefined,
        record: { ...request.record, separator: '\n' },
        maxObjects: count,
        includeTotalCount: false,
        matchEstimate: undefined,
      },
      context,
    )
    if (page === 'reclaimed') return page
    try {
      if (page.more) continue
      return { ...page, records: inOrder(page, wanted), release: () => {} }
    } finally {
      page.release()
    }
  }
}

/** Sorts records that are in key order. */
function inOrder({ records, count }: StoredPage, wanted: readonly Candidate[]): Uint8Array {
  if (count !== wanted.length) throw new Error(`found ${count} of ${wanted.length} objects`)
  const lines = Buffer.from(records.buffer, records.byteOffset, records.byteLength)
    .toString('utf8')
    .split('\n')
  const byKey = wanted.toSorted((a, b) => a.index - b.index)
  const lineOf = new Map(byKey.map((candidate, at) => [candidate, lines[at] ?? '']))
  return Buffer.from(wanted.map((candidate) => lineOf.get(candidate) ?? '').join(','))
}
