/** Requests for pages, and walks that collect the page tokens to measure with. */
import { type Call, Connection, type Target } from './connection.ts'
import { FAMILY, OBJECT_TYPE, ONTOLOGY, partNumber } from './parts.ts'
import { measureCost, ownMegabytes } from './process-stats.ts'
import { showProgress } from './report.ts'
import type { MeasuredServer } from './workbench.ts'

/** Builds the request for one page of a walk. */
export type Pages = (pageSize: number, pageToken?: string) => Call

const OBJECTS = `/api/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}`

/** Pages of a list in revision 1.0, or of another list. */
export function listPages(
  parameters: Readonly<Record<string, string>> = {},
  path = OBJECTS,
): Pages {
  return (pageSize, pageToken) => {
    const query = new URLSearchParams({ ...parameters, pageSize: String(pageSize) })
    if (pageToken !== undefined) query.set('pageToken', pageToken)
    return { method: 'GET', path: `${path}?${query}` }
  }
}

/** Pages of a search in revision 1.0. */
export function searchPages(query: object, path = `${OBJECTS}/search`): Pages {
  return (pageSize, pageToken) => ({
    method: 'POST',
    path,
    body: JSON.stringify({ query, pageSize, pageToken }),
  })
}

/** Pages of a search in revision 2.0; they hold at most 100 objects. */
export function familySearchPages(query: object): Pages {
  return searchPages(query, `/api/${FAMILY}/v1/objects/types/${OBJECT_TYPE}/search`)
}

export function getObject(number: number): Call {
  return { method: 'GET', path: `${OBJECTS}/${partNumber(number)}` }
}

/**
 * Pages of a walk: the first one; the first ones; those from the second on, for queries whose first
 * page also counts; the last ones; pages spread over the whole walk.
 */
export type PageRange = 'first' | 'near' | 'next' | 'deep' | 'spread'

const RANGE_PAGES = 20
const SPREAD_PAGES = 200

/** Returns the number of objects before each page of a range. Each page is full and has a next. */
export function offsetsOf(range: PageRange, objects: number, pageSize: number): readonly number[] {
  const last = Math.ceil(objects / pageSize) - 1
  // Ranges are smaller in a short walk, so that near and deep pages do not overlap.
  const width = Math.max(1, Math.min(RANGE_PAGES, Math.floor(last / 3)))
  const from = (first: number, length = width) => Array.from({ length }, (_, n) => first + n)
  const spread = Math.min(last, SPREAD_PAGES)
  const pages: Readonly<Record<PageRange, readonly number[]>> = {
    first: [1],
    near: from(1),
    next: from(2),
    deep: from(last - width + 1).filter((page) => page > width + 1),
    spread: from(0, spread).map((index) => 1 + Math.floor((index * last) / spread)),
  }
  return pages[range].filter((page) => page <= last).map((page) => (page - 1) * pageSize)
}

/** Returns page tokens by the number of objects before them; a token fits any page size. */
export async function collectTokens(
  service: Target,
  pages: Pages,
  maxPageSize: number,
  offsets: readonly number[],
): Promise<ReadonlyMap<number, string | undefined>> {
  const tokens = new Map<number, string | undefined>()
  using connection = await Connection.open(service)
  let token: string | undefined
  let passed = 0
  for (const offset of [...new Set(offsets)].toSorted((a, b) => a - b)) {
    while (passed < offset) {
      const pageSize = Math.min(maxPageSize, offset - passed)
      token = findToken(await connection.read(pages(pageSize, token)))
      if (token === undefined) throw new Error(`A walk ended before object ${offset}.`)
      passed += pageSize
    }
    tokens.set(offset, token)
  }
  return tokens
}

/** More than the token and the rest of the envelope. */
const TAIL_BYTES = 1200

/** Returns the next page token, found at the end of the body without parsing the records. */
export function findToken(page: Buffer): string | undefined {
  const tail = page.toString('latin1', Math.max(0, page.length - TAIL_BYTES))
  return /"nextPageToken":"([^"]+)"[^\]]*$/.exec(tail)?.[1]
}

/** Walks in pages of 1,000 and returns their number; at most `maxPages` when given. */
export async function walkPages(
  service: Target,
  pages: Pages,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<number> {
  using connection = await Connection.open(service)
  let token: string | undefined
  let count = 0
  do {
    token = findToken(await connection.read(pages(1000, token)))
    count += 1
  } while (token !== undefined && count < maxPages)
  return count
}

const READERS = 32

/** Measures the service while readers walk at once, each to the end or through some pages. */
export function measureReaders(service: MeasuredServer, pagesPerReader?: number) {
  showProgress(`${READERS} readers walk`)
  const readers = Array.from({ length: READERS })
  const walkAll = async () => {
    const walks = readers.map(() => walkPages(service, listPages(), pagesPerReader))
    return (await Promise.all(walks)).reduce((sum, pages) => sum + pages, 0)
  }
  return measureCost(service.pid, walkAll, ownMegabytes)
}
