/** The cases of the pages and of their growth: queries on the parts, and their pages. */
import { readBody } from './connection.ts'
import type { Case } from './rounds.ts'
import {
  collectTokens,
  familySearchPages,
  getObject,
  listPages,
  offsetsOf,
  type PageRange,
  type Pages,
  searchPages,
} from './walk.ts'
import type { MeasuredServer } from './workbench.ts'

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
const ABOVE_600 = searchPages({ type: 'gt', field: WEIGHT, value: 600 })
const BY_WEIGHT = listPages({ 'p.weight.gte': '10', orderBy: 'p.weight' })
const ROTORS = listPages({ 'p.category.eq': 'rotor' })
const NEWEST = listPages({ orderBy: 'p.changedAt:desc' })
const SELECTED = listPages({ properties: 'name,category,weight' })
const UNION = searchPages({
  type: 'or',
  value: [
    { type: 'eq', field: 'properties.category', value: 'rotor' },
    { type: 'gt', field: WEIGHT, value: 600 },
  ],
})
const UNFILTERED = familySearchPages({ type: 'empty' })

const QUERIES: readonly QuerySpec[] = [
  LIST,
  SNAPSHOT,
  { name: 'search without a filter', pages: UNFILTERED, ranges: ['deep'], maxPageSize: 100 },
  { name: 'equality, 1 in 7', pages: ROTORS, ranges: COUNTED, share: 1 / 7 },
  { name: 'range in its own order', pages: BY_WEIGHT, ranges: COUNTED, share: 0.98 },
  { name: 'range in key order', pages: ABOVE_600, ranges: COUNTED, share: 0.4 },
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

/** Returns the cases of all queries; walks each query once for its page tokens. */
export async function allCases(server: MeasuredServer, objects: number): Promise<readonly Case[]> {
  const cases: Case[] = []
  for (const query of QUERIES) cases.push(...(await casesOf(server, query, objects)))
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
