/** Queries on the parts, and the requests for their pages. */

import type { Case } from './compare.ts'
import { type Call, Connection, readBody, type Target } from './connection.ts'
import { FAMILY, OBJECT_TYPE, ONTOLOGY, partNumber } from './parts.ts'
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
function familySearchPages(query: object): Pages {
  return searchPages(query, `/api/${FAMILY}/v1/objects/types/${OBJECT_TYPE}/search`)
}

export function getObject(number: number): Call {
  return { method: 'GET', path: `${OBJECTS}/${partNumber(number)}` }
}

/** More than the token and the rest of the envelope. */
const TAIL_BYTES = 1200

/** Returns the next page token, found at the end of the body without parsing the records. */
export function findToken(page: Buffer): string | undefined {
  const tail = page.toString('latin1', Math.max(0, page.length - TAIL_BYTES))
  return /"nextPageToken":"([^"]+)"[^\]]*$/.exec(tail)?.[1]
}

/** Walks to the end, or through some pages, without looking at them; returns their number. */
export async function walkPages(
  service: Target,
  pages: Pages,
  { maxPages = Infinity } = {},
): Promise<number> {
  using connection = await Connection.open(service)
  let token: string | undefined
  for (let count = 1; ; count += 1) {
    token = findToken(await connection.read(pages(1000, token), TAIL_BYTES))
    if (token === undefined || count === maxPages) return count
  }
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
async function collectTokens(
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
      token = findToken(await connection.read(pages(pageSize, token), TAIL_BYTES))
      if (token === undefined) throw new Error(`A walk ended before object ${offset}.`)
      passed += pageSize
    }
    tokens.set(offset, token)
  }
  return tokens
}

export const PAGE_SIZES = [1000, 100] as const

export interface QuerySpec {
  readonly name: string
  readonly pages: Pages
  readonly ranges: readonly PageRange[]
  /** The share of all objects that match, at least. */
  readonly share?: number
  readonly pageSizes?: readonly number[]
  /** The largest page of the endpoint. */
  readonly maxPageSize?: number
}

/** The first page of a filtered query also counts all matches. */
const COUNTED: readonly PageRange[] = ['first', 'next', 'deep']
const WEIGHT = 'properties.weight'
const NAME = 'properties.name'

export const LIST: QuerySpec = {
  name: 'list',
  pages: listPages(),
  ranges: ['spread', 'near', 'deep'],
  pageSizes: PAGE_SIZES,
}
export const SNAPSHOT: QuerySpec = {
  name: 'snapshot',
  pages: listPages({ snapshot: 'true' }),
  ranges: ['deep'],
  pageSizes: PAGE_SIZES,
}

const ALL_TERMS = searchPages({ type: 'allTerms', field: NAME, value: 'rotor' })
const ABOVE_600 = { type: 'gt', field: WEIGHT, value: 600 }
const BY_WEIGHT = listPages({ 'p.weight.gte': '10', orderBy: 'p.weight' })
const ROTORS = listPages({ 'p.category.eq': 'rotor' })
const NEWEST = listPages({ orderBy: 'p.changedAt:desc' })
const SELECTED = listPages({ properties: 'name,category,weight' })
const UNION = searchPages({
  type: 'or',
  value: [{ type: 'eq', field: 'properties.category', value: 'rotor' }, ABOVE_600],
})
const UNFILTERED = familySearchPages({ type: 'empty' })

const QUERIES: readonly QuerySpec[] = [
  LIST,
  SNAPSHOT,
  { name: 'search without a filter', pages: UNFILTERED, ranges: ['deep'], maxPageSize: 100 },
  { name: 'equality, 1 in 7', pages: ROTORS, ranges: COUNTED, share: 1 / 7 },
  { name: 'range in its own order', pages: BY_WEIGHT, ranges: COUNTED, share: 0.98 },
  { name: 'range in key order', pages: searchPages(ABOVE_600), ranges: COUNTED, share: 0.4 },
  { name: 'union of two filters', pages: UNION, ranges: COUNTED, share: 0.48, pageSizes: [1000] },
  { name: 'order without a filter', pages: NEWEST, ranges: ['near', 'deep'] },
  { name: 'full text, 1 in 7', pages: ALL_TERMS, ranges: COUNTED, share: 1 / 7 },
  { name: 'three properties', pages: SELECTED, ranges: ['near'], pageSizes: PAGE_SIZES },
]

const RANGE_NAMES: Readonly<Record<PageRange, string>> = {
  first: 'page 1',
  near: 'first pages',
  next: 'pages from 2',
  deep: 'last pages',
  spread: 'spread pages',
}

export function caseName(query: string, range: PageRange, pageSize: number): string {
  return `${query}, ${RANGE_NAMES[range]}, ${pageSize.toLocaleString('en')}`
}

/** Returns the cases of all queries, or of some; walks each query once for its page tokens. */
export async function allCases(
  server: MeasuredServer,
  objects: number,
  isIncluded = (_name: string) => true,
): Promise<readonly Case[]> {
  const cases: Case[] = []
  const queries = QUERIES.filter(({ name }) => isIncluded(name))
  for (const query of queries) cases.push(...(await casesOf(server, query, objects)))
  return [...cases, ...lookupCases(server, objects)]
}

/** Returns a case for each page range and page size of a query. */
export async function casesOf(
  server: MeasuredServer,
  { name, pages, ranges, share = 1, pageSizes = [100], maxPageSize = 1000 }: QuerySpec,
  objects: number,
): Promise<readonly Case[]> {
  const matches = Math.floor(objects * share)
  const specs = pageSizes.flatMap((pageSize) =>
    ranges.map((range) => ({ range, pageSize, offsets: offsetsOf(range, matches, pageSize) })),
  )
  const offsets = specs.flatMap((spec) => spec.offsets)
  const tokens = await collectTokens(server, pages, maxPageSize, offsets)
  const cases: Case[] = []
  for (const { range, pageSize, offsets } of specs) {
    const calls = offsets.map((offset) => pages(pageSize, tokens.get(offset)))
    const [first] = calls
    if (first === undefined) continue
    const { data } = JSON.parse(String(await readBody(server, first))) as { data: unknown[] }
    const caseOf = caseName(name, range, pageSize)
    // Guards against measuring the wrong page, such as an empty one.
    if (data.length !== pageSize) throw new Error(`"${caseOf}" has a page of ${data.length}.`)
    cases.push({ name: caseOf, server, calls })
  }
  return cases
}

/** How many different objects are requested in turn. */
const LOOKUPS = 500

/** Queries with one match or a few. */
function lookupCases(server: MeasuredServer, objects: number): readonly Case[] {
  const numbers = Array.from({ length: LOOKUPS }, (_, n) => Math.floor((n * objects) / LOOKUPS))
  const terms = numbers.map((number) => (objects - number).toString(36))
  const find = (type: 'allTerms' | 'prefix', value: string) =>
    searchPages({ type, field: NAME, value })(100)
  const prefixes = terms.map((term) => find('prefix', term.slice(0, -1)))
  return [
    { name: 'get by key', server, calls: numbers.map(getObject) },
    { name: 'full text, 1 match', server, calls: terms.map((term) => find('allTerms', term)) },
    { name: 'prefix, few matches', server, calls: prefixes },
    { name: 'range, few matches', server, calls: [listPages({ 'p.weight.lt': '0.25' })(100)] },
  ]
}
