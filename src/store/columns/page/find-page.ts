/** Finds the rows of a page in the columns of its type, and counts all matches. */
import type { OrderTerm } from '../../../query/query.ts'
import type { FilteredSegment } from '../aggregate/aggregator.ts'
import { CHUNK, countBits, listBits } from '../image/bits.ts'
import type { Segment } from '../segment/segment.ts'
import { FirstRows } from './first-rows.ts'
import {
  compareTexts,
  compareValues,
  type LocalTerm,
  localTerms,
  type PageCursor,
  signOf,
} from './local-order.ts'

export interface PageSearch {
  readonly order: readonly OrderTerm[]
  readonly cursor: PageCursor | undefined
  /** The number of rows to find. */
  readonly limit: number
  readonly needsCount: boolean
  /** Returns the key of a row, which the first segment does not have. */
  readonly keyOf: (row: number) => string
  /** Called often; may throw. */
  readonly onChunk: () => void
}

export interface FoundPage {
  /** The ids of rows, in the order of the page. */
  readonly rows: readonly number[]
  readonly totalCount: number | undefined
}

/** A row of a page, with what it takes to compare it with rows of other segments. */
interface Candidate {
  readonly segment: Segment
  readonly position: number
  readonly terms: readonly LocalTerm[]
}

/** Returns undefined if columns cannot answer. The first segment is that of the whole type. */
export function findPage(
  segments: readonly FilteredSegment[],
  search: PageSearch,
): FoundPage | undefined {
  const candidates: Candidate[] = []
  let totalCount = 0
  for (const filtered of segments) {
    const terms = localTerms(filtered.segment, search.order)
    if (terms === undefined) return undefined
    const found = findInSegment(filtered, terms, search)
    for (const position of found.positions) {
      candidates.push({ segment: filtered.segment, position, terms })
    }
    totalCount += found.count
  }
  const keySign = signOf(search.order.at(-1)?.direction ?? 'asc')
  if (segments.length > 1) candidates.sort((a, b) => compareCandidates(a, b, keySign))
  return {
    rows: candidates
      .slice(0, search.limit)
      .map(({ segment, position }) => segment.rows[position] as number),
    totalCount: search.needsCount ? totalCount : undefined,
  }
}

function compareCandidates(a: Candidate, b: Candidate, keySign: number): number {
  for (const [index, term] of a.terms.entries()) {
    const other = b.terms[index]?.valueOf(b.position)
    const difference = compareValues(term, term.valueOf(a.position), other)
    if (difference !== 0) return difference
  }
  return keySign * compareKeys(a, b)
}

/** An added row comes before the row of the first segment that has its place. */
function compareKeys(a: Candidate, b: Candidate): number {
  if (a.segment === b.segment) return a.position - b.position
  const [left, right] = [a, b].map(({ segment, position }) =>
    segment.ranks === undefined ? position + 0.5 : (segment.ranks[position] as number),
  ) as [number, number]
  return left - right || compareTexts(a.segment.keys.at(a.position), b.segment.keys.at(b.position))
}

const NO_ROWS = [0, 0] as const

interface FoundInSegment {
  readonly positions: readonly number[]
  readonly count: number
}

function findInSegment(
  filtered: FilteredSegment,
  terms: readonly LocalTerm[],
  search: PageSearch,
): FoundInSegment {
  const { segment, visible, filter } = filtered
  const { cursor, limit, needsCount } = search
  const atCursor = cursor === undefined ? NO_ROWS : rowsWithKey(segment, cursor.key, search.keyOf)
  const keySign = signOf(search.order.at(-1)?.direction ?? 'asc')
  const first = new FirstRows(terms, { limit, keySign, cursor, atCursor })
  const isByKey = terms.length === 0
  const start = isByKey && !needsCount ? atCursor[1] - (atCursor[1] % CHUNK) : 0
  const bits = new Uint32Array(CHUNK >>> 5)
  const places = new Int32Array(CHUNK)
  let count = 0
  for (let from = start; from < segment.size; from += CHUNK) {
    search.onChunk()
    const isFull = isByKey && first.isFull
    if (isFull && !needsCount) break
    const to = Math.min(from + CHUNK, segment.size)
    const words = (to - from + 31) >>> 5
    filter(from, to, bits)
    for (let word = 0; word < words; word += 1) {
      bits[word] = (bits[word] as number) & (visible[(from >>> 5) + word] as number)
    }
    count += needsCount ? countBits(bits, words) : 0
    if (!isFull) first.add(places, listBits(bits, words, from, places))
  }
  return { positions: first.sorted(), count }
}

/** The rows of a segment that have a key: from the first, without the second. */
function rowsWithKey(
  segment: Segment,
  key: string,
  keyOf: (row: number) => string,
): readonly [from: number, to: number] {
  const { keys, keyStep, size } = segment
  const sampled = keys.countBefore(key)
  if (keyStep === 1) {
    // Several versions of an object may have been added.
    let to = sampled
    while (to < size && keys.at(to) === key) to += 1
    return [sampled, to]
  }
  // Between the sampled key before it and the one after it.
  let from = Math.max((sampled - 1) * keyStep + 1, 0)
  let to = Math.min(sampled * keyStep, size)
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compareTexts(keyOf(segment.rows[middle] as number), key) < 0) from = middle + 1
    else to = middle
  }
  const isFound = from < size && keyOf(segment.rows[from] as number) === key
  return [from, isFound ? from + 1 : from]
}
