/** Finds the rows of a page in columns, in order, and counts all matches. */
import type { OrderTerm } from '../../../query/query.ts'
import type { FilteredSegment } from '../aggregate/aggregator.ts'
import { andBits, CHUNK, countBits, listBits } from '../arrays/bits.ts'
import type { Segment } from '../segment/segment.ts'
import { FirstRows } from './first-rows.ts'
import {
  type LocalTerm,
  localTerms,
  type MergedTerm,
  type OrderValue,
  signOf,
} from './local-order.ts'
import { type MergedRow, mergeRows, type SortedRows } from './merge-rows.ts'

/** How far a walk has come: the key of the last row of a page, and its value for each order term. */
export interface PageCursor {
  readonly key: string
  readonly values: readonly OrderValue[]
}

/** Of a page over several types: the last row is one of this part. */
export interface SetPageCursor extends PageCursor {
  readonly part: number
}

interface Search<Term, Cursor> {
  readonly order: readonly Term[]
  /** The page starts after it; undefined for the first page. */
  readonly cursor: Cursor | undefined
  /** The number of rows to find. */
  readonly limit: number
  readonly needsCount: boolean
  /** Called often; may throw. */
  readonly onChunk: () => void
}

export type PageSearch = Search<OrderTerm, PageCursor>
export interface SetPageSearch extends Search<MergedTerm, SetPageCursor> {
  /** The counts of parts that are known; all others are counted. */
  readonly knownCounts?: readonly (number | undefined)[]
}

interface Counted {
  /** The number of matches on all pages; undefined if it is not needed. */
  readonly totalCount: number | undefined
}

export interface FoundPage extends Counted {
  /** The keys of the rows, in the order of the page. */
  readonly keys: readonly string[]
}

export interface FoundSetPage extends Counted {
  /** In the order of the page. */
  readonly rows: readonly MergedRow[]
}

/** Finds a page of the rows of one type. Returns undefined if columns cannot answer. */
export function findPage(
  segments: readonly FilteredSegment[],
  search: PageSearch,
): FoundPage | undefined {
  const page = findSetPage([segments], {
    ...search,
    order: mergedOrder(search.order),
    cursor: search.cursor && { ...search.cursor, part: 0 },
  })
  return page && { keys: page.rows.map(({ key }) => key), totalCount: page.totalCount }
}

/**
 * Finds a page of the rows of several types, each of which is a part. Rows with equal values are
 * ordered by part, and then by key in the direction of the last term. Returns undefined if columns
 * cannot answer.
 */
export function findSetPage(
  parts: readonly (readonly FilteredSegment[])[],
  search: SetPageSearch,
): FoundSetPage | undefined {
  const lists: SortedRows[] = []
  let totalCount = 0
  let foundBefore = 0
  for (const [part, segments] of parts.entries()) {
    const bound = boundOf(search, part, foundBefore)
    const knownCount = search.knownCounts?.[part]
    const needsCount = search.needsCount && knownCount === undefined
    totalCount += knownCount ?? 0
    for (const filtered of segments) {
      const terms = localTerms(filtered.segment, search.order, part)
      if (terms === undefined) return undefined
      const { positions, count } = findInSegment(filtered, terms, { ...search, needsCount }, bound)
      if (positions.length > 0) lists.push({ part, segment: filtered.segment, positions, terms })
      totalCount += count
      foundBefore += positions.length
    }
  }
  const keySign = keySignOf(search.order)
  return {
    rows: mergeRows(lists, keySign, search.limit),
    totalCount: search.needsCount ? totalCount : undefined,
  }
}

/** Returns the cursor of a row version; undefined if columns do not have it. */
export function cursorAt(
  segments: readonly Segment[],
  order: readonly OrderTerm[],
  row: { readonly key: string; readonly validFrom: number },
): PageCursor | undefined {
  return setCursorAt([segments], mergedOrder(order), { ...row, part: 0 })
}

export function setCursorAt(
  parts: readonly (readonly Segment[])[],
  order: readonly MergedTerm[],
  {
    part,
    key,
    validFrom,
  }: { readonly part: number; readonly key: string; readonly validFrom: number },
): SetPageCursor | undefined {
  if (order.length === 0) return { part, key, values: [] }
  for (const segment of parts[part] ?? []) {
    const position = segment.find(key, validFrom)
    if (position === undefined) continue
    const terms = localTerms(segment, order, part)
    return terms && { part, key, values: terms.map((term) => term.valueOf(position)) }
  }
  return undefined
}

function mergedOrder(order: readonly OrderTerm[]): readonly MergedTerm[] {
  return order.map(({ property, ...term }) => ({ ...term, properties: [property] }))
}

function keySignOf(order: readonly MergedTerm[]): 1 | -1 {
  return signOf(order.at(-1)?.direction ?? 'asc')
}

/** Which rows of a part with the values of the cursor follow it: those that `boundOf` says. */
type TieBound = 'all' | 'none' | 'byKey'

function boundOf({ order, cursor, limit }: SetPageSearch, part: number, found: number): TieBound {
  // Without an order, all rows have equal values, and those of the parts before fill the page.
  if (order.length === 0 && found >= limit) return 'none'
  if (cursor === undefined || part > cursor.part) return 'all'
  return part < cursor.part ? 'none' : 'byKey'
}

interface FoundInSegment {
  readonly positions: readonly number[]
  readonly count: number
}

function findInSegment(
  { segment, visible, filter }: FilteredSegment,
  terms: readonly LocalTerm[],
  search: SetPageSearch,
  bound: TieBound,
): FoundInSegment {
  const { cursor, limit, needsCount } = search
  const isByKey = terms.length === 0
  const keySign = keySignOf(search.order)
  const [tiesFrom, tiesTo] = tiesAfter(segment, cursor?.key ?? '', keySign, bound)
  const first = new FirstRows(terms, { limit, keySign, values: cursor?.values, tiesFrom, tiesTo })
  let count = 0
  for (const from of chunkStarts(segment.size, isByKey || keySign === 1)) {
    const isComplete = isByKey && (first.isFull || from >= tiesTo || from + CHUNK <= tiesFrom)
    if (isComplete && !needsCount) continue
    search.onChunk()
    const to = Math.min(from + CHUNK, segment.size)
    const words = (to - from + 31) >>> 5
    filter(from, to, BITS)
    andBits(BITS, visible.subarray(from >>> 5), words)
    count += needsCount ? countBits(BITS, words) : 0
    if (isComplete) continue
    first.add({ from, to, places: PLACES, count: listBits(BITS, words, 0, PLACES) })
  }
  return { positions: first.sorted(), count }
}

// One search at a time uses them.
const BITS = new Uint32Array(CHUNK >>> 5)
const PLACES = new Int32Array(CHUNK)

function* chunkStarts(size: number, isAscending: boolean): Generator<number> {
  const chunks = Math.ceil(size / CHUNK)
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    yield (isAscending ? chunk : chunks - 1 - chunk) * CHUNK
  }
}

/** Returns the positions that follow the cursor if their values equal its values. */
function tiesAfter(
  segment: Segment,
  key: string,
  keySign: 1 | -1,
  bound: TieBound,
): readonly [from: number, to: number] {
  if (bound !== 'byKey') return bound === 'all' ? [0, segment.size] : [0, 0]
  const [from, to] = segment.rowsWithKey(key)
  return keySign === 1 ? [to, segment.size] : [0, from]
}
