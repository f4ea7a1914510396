/** What `npm run bench` measures, as data: queries, cases and marks. */
import type { StoreName } from '../measure/command-line.ts'
import type { Case } from '../measure/rounds.ts'
import type { MeasuredServer } from '../measure/server.ts'
import {
  collectTokens,
  familySearchPages,
  getObject,
  listPages,
  offsetsOf,
  type PageRange,
  type Pages,
  searchPages,
  type WalkSpec,
} from '../measure/walk.ts'

export const PAGE_SIZES = [1000, 100] as const

interface QuerySpec {
  readonly name: string
  readonly pages: Pages
  /** The share of all objects that match, at least. */
  readonly share: number
  readonly ranges: readonly PageRange[]
  readonly pageSizes: readonly number[]
  /** The largest page of the endpoint; 1,000 by default. */
  readonly maxPageSize?: number
}

/** The first page of a filtered query also counts all matches. */
const COUNTED: readonly PageRange[] = ['first', 'next', 'deep']
const UNCOUNTED: readonly PageRange[] = ['near', 'deep']
const SMALL = [100]

const LIST: QuerySpec = {
  name: 'list',
  pages: listPages(),
  share: 1,
  ranges: ['spread', 'near', 'deep'],
  pageSizes: PAGE_SIZES,
}

const SNAPSHOT: QuerySpec = {
  name: 'snapshot',
  pages: listPages({ snapshot: 'true' }),
  share: 1,
  ranges: ['deep'],
  pageSizes: PAGE_SIZES,
}

const QUERIES: readonly QuerySpec[] = [
  LIST,
  SNAPSHOT,
  {
    name: 'search without a filter',
    pages: familySearchPages({ type: 'empty' }),
    share: 1,
    ranges: ['deep'],
    pageSizes: SMALL,
    maxPageSize: 100,
  },
  {
    name: 'equality, 1 in 7',
    pages: listPages({ 'p.category.eq': 'rotor' }),
    share: 1 / 7,
    ranges: COUNTED,
    pageSizes: SMALL,
  },
  {
    name: 'range in its own order',
    pages: listPages({ 'p.weight.gte': '10', orderBy: 'p.weight' }),
    share: 0.98,
    ranges: COUNTED,
    pageSizes: SMALL,
  },
  {
    name: 'range in key order',
    pages: searchPages({ type: 'gt', field: 'properties.weight', value: 600 }),
    share: 0.4,
    ranges: COUNTED,
    pageSizes: SMALL,
  },
  {
    name: 'order without a filter',
    pages: listPages({ orderBy: 'p.changedAt:desc' }),
    share: 1,
    ranges: UNCOUNTED,
    pageSizes: SMALL,
  },
  {
    name: 'full text, 1 in 7',
    pages: searchPages({ type: 'allTerms', field: 'properties.name', value: 'rotor' }),
    share: 1 / 7,
    ranges: COUNTED,
    pageSizes: SMALL,
  },
  {
    name: 'three properties',
    pages: listPages({ properties: 'name,category,weight' }),
    share: 1,
    ranges: ['near'],
    pageSizes: PAGE_SIZES,
  },
]

const RANGE_NAMES: Readonly<Record<PageRange, string>> = {
  first: 'page 1',
  near: 'first pages',
  next: 'pages from 2',
  deep: 'deep pages',
  spread: 'spread pages',
}

export function caseName(query: string, range: PageRange, pageSize: number): string {
  return `${query}, ${RANGE_NAMES[range]}, ${pageSize.toLocaleString('en')}`
}

/** Walks each query once, and returns a case for each of its page ranges. */
export async function pageCases(server: MeasuredServer, objects: number): Promise<readonly Case[]> {
  const cases: Case[] = []
  for (const query of QUERIES) cases.push(...(await casesOfQuery(server, query, objects)))
  return [...cases, ...lookupCases(server, objects)]
}

/** Cases on the snapshot before an update; they are measured after it. */
export async function pastSnapshotCases(
  server: MeasuredServer,
  objects: number,
): Promise<readonly Case[]> {
  const cases = await casesOfQuery(server, { ...SNAPSHOT, name: PAST_SNAPSHOT }, objects)
  const check = (body: Buffer) => checkPage(body, undefined, 0)
  return cases.map((each) => ({ ...each, check }))
}

/** Cases on the current objects after an update. */
export function updatedCases(server: MeasuredServer, objects: number): Promise<readonly Case[]> {
  return casesOfQuery(server, { ...LIST, name: AFTER_UPDATES, ranges: ['deep'] }, objects)
}

/** Guards against measuring the wrong page, such as an empty one. */
function checkPage(body: Buffer, pageSize: number | undefined, revision?: number): void {
  const { data } = JSON.parse(body.toString()) as {
    readonly data: readonly { readonly properties: { readonly revision?: number } }[]
  }
  if (pageSize !== undefined && data.length !== pageSize) {
    throw new Error(`a page has ${data.length} objects instead of ${pageSize}`)
  }
  if (revision !== undefined && data.some(({ properties }) => properties.revision !== revision)) {
    throw new Error('a page of a snapshot shows a later update')
  }
}

async function casesOfQuery(
  server: MeasuredServer,
  { name, pages, share, ranges, pageSizes, maxPageSize = 1000 }: QuerySpec,
  objects: number,
): Promise<readonly Case[]> {
  const walk: WalkSpec = { pages, maxPageSize, objects: Math.floor(objects * share) }
  const specs = pageSizes.flatMap((pageSize) =>
    ranges.map((range) => ({ range, pageSize, offsets: offsetsOf(range, walk, pageSize) })),
  )
  const offsets = specs.flatMap((spec) => spec.offsets)
  const tokens = await collectTokens(server, walk, offsets)
  return specs
    .filter((spec) => spec.offsets.length > 0)
    .map((spec) => ({
      name: caseName(name, spec.range, spec.pageSize),
      server,
      calls: spec.offsets.map((offset) => pages(spec.pageSize, tokens.get(offset))),
      check: (body) => checkPage(body, spec.pageSize),
    }))
}

/** How many different objects are requested in turn. */
const LOOKUPS = 500

/** Queries with one match or a few. */
function lookupCases(server: MeasuredServer, objects: number): readonly Case[] {
  const numbers = Array.from({ length: LOOKUPS }, (_, n) => Math.floor((n * objects) / LOOKUPS))
  const terms = numbers.map((number) => (objects - number).toString(36))
  const textCall = (type: 'allTerms' | 'prefix', value: string) =>
    searchPages({ type, field: 'properties.name', value })(100)
  return [
    { name: 'get by key', server, calls: numbers.map(getObject) },
    {
      name: 'full text, 1 match',
      server,
      calls: terms.map((term) => textCall('allTerms', term)),
    },
    {
      name: 'prefix, few matches',
      server,
      calls: terms.map((term) => textCall('prefix', term.slice(0, -1))),
    },
    {
      name: 'range, few matches',
      server,
      calls: [listPages({ 'p.weight.lt': '0.25' })(100)],
    },
  ]
}

/** A bound on the ratio of two cases; a store without a limit is not judged. */
export interface RatioMark {
  readonly of: string
  readonly to: string
  readonly measure: 'CPU' | 'p50' | 'req/s'
  readonly bound: '≤' | '≥'
  readonly limits: Readonly<Partial<Record<StoreName, number>>>
}

export const BARE_STORE = 'bare store'
export const TWO_WORKERS = 'list with two workers'
export const HOT = 'list from the page cache'
export const AFTER_UPDATES = 'list after updates'
export const PAST_SNAPSHOT = 'snapshot before updates'

/** Marks are about half as wide again as the spread of repeated runs on two shared cores. */
export const RATIO_MARKS: readonly RatioMark[] = [
  {
    of: caseName('list', 'spread', 1000),
    to: caseName(BARE_STORE, 'spread', 1000),
    measure: 'CPU',
    bound: '≤',
    limits: { SQLite: 1.5, PostgreSQL: 3 },
  },
  {
    of: caseName('list', 'spread', 100),
    to: caseName(BARE_STORE, 'spread', 100),
    measure: 'CPU',
    bound: '≤',
    limits: { SQLite: 2 },
  },
  {
    of: caseName('list', 'deep', 1000),
    to: caseName('list', 'near', 1000),
    measure: 'p50',
    bound: '≤',
    limits: { SQLite: 1.5, PostgreSQL: 1.5 },
  },
  {
    of: caseName('equality, 1 in 7', 'next', 100),
    to: caseName('list', 'near', 100),
    measure: 'p50',
    bound: '≤',
    limits: { SQLite: 6, PostgreSQL: 6 },
  },
  {
    of: caseName(PAST_SNAPSHOT, 'deep', 1000),
    to: caseName(AFTER_UPDATES, 'deep', 1000),
    measure: 'p50',
    bound: '≤',
    limits: { SQLite: 1.6, PostgreSQL: 1.6 },
  },
  {
    of: caseName(TWO_WORKERS, 'spread', 1000),
    to: caseName('list', 'spread', 1000),
    measure: 'req/s',
    bound: '≥',
    // On PostgreSQL the database shares the cores with the workers.
    limits: { SQLite: 1.2 },
  },
]
