import { constantPath, storePath } from './bare-paths.ts'
import { partNumber } from './objects.ts'
import { PAGE_SIZES, type StoreName } from './options.ts'
import {
  compare,
  compareDepth,
  compareKinds,
  costAtMost,
  cpuAtMost,
  type Mark,
  nameOfPages,
  type PageCase,
  type Phase,
  rateAtLeast,
  walkCases,
} from './page-case.ts'
import type { MeasuredProcess } from './processes.ts'
import { listPages, searchPages2 } from './requests.ts'
import { type MarkedWalk, markWalk, objectsBefore, type Place, pagesAt } from './walk.ts'

/** Plain pages, beside the least that they could cost. Nothing was updated yet. */

export const KINDS = {
  ceiling: 'ceiling',
  bare: 'bare store',
  hot: 'list default, hot',
  list: 'list default',
  snapshot: 'list snapshot',
  search: 'search empty',
} as const

export interface MeasuredServers {
  /** The service without its page cache. */
  readonly cold: MeasuredProcess
  /** The service as it is when nothing is set. */
  readonly hot: MeasuredProcess
  readonly bare: MeasuredProcess
}

/** Walks over all objects in key order. */
export interface PlainWalks {
  readonly list: MarkedWalk
  readonly snapshot: MarkedWalk
  readonly search: MarkedWalk
}

/** The largest page of a search of revision 2.0. */
const SEARCH_PAGE_SIZE = 100

export async function markPlainWalks(
  service: MeasuredProcess,
  objects: number,
): Promise<PlainWalks> {
  const list = { pages: listPages(), maxPageSize: 1000, objects }
  const search = { pages: searchPages2({ type: 'empty' }), maxPageSize: SEARCH_PAGE_SIZE, objects }
  const ends: readonly Place[] = ['near', 'next', 'deep']
  return {
    list: await markWalk(service, list, { pageSizes: PAGE_SIZES, places: [...ends, 'spread'] }),
    snapshot: await markSnapshot(service, objects),
    search: await markWalk(service, search, { pageSizes: [SEARCH_PAGE_SIZE], places: ends }),
  }
}

export function markSnapshot(service: MeasuredProcess, objects: number): Promise<MarkedWalk> {
  const walk = { pages: listPages({ snapshot: 'true' }), maxPageSize: 1000, objects }
  return markWalk(service, walk, { pageSizes: PAGE_SIZES, places: ['near', 'next', 'deep'] })
}

export function listingPhase(store: StoreName, servers: MeasuredServers, walks: PlainWalks): Phase {
  const parts = PAGE_SIZES.map((pageSize) => listingPart(store, servers, walks, pageSize))
  const search = walkCases({
    server: servers.cold,
    kind: KINDS.search,
    walk: walks.search,
    pageSize: SEARCH_PAGE_SIZE,
    places: ['near', 'deep'],
  })
  return {
    title: 'Plain pages',
    cases: [...parts.flatMap(({ cases }) => cases), ...search],
    comparisons: [...parts.flatMap(({ comparisons }) => comparisons), ...compareDepth(search)],
  }
}

function listingPart(
  store: StoreName,
  { cold, hot, bare }: MeasuredServers,
  walks: PlainWalks,
  pageSize: number,
): Pick<Phase, 'cases' | 'comparisons'> {
  const marks = marksOf(store, pageSize)
  const service = { server: cold, pageSize, revision: 0 }
  const ends: readonly Place[] = ['near', 'deep']
  const ceiling = constantCase(bare, pageSize)
  const bareStore = (['spread', ...ends] as const).map((place) =>
    bareStoreCase(bare, walks.list.objects, pageSize, place),
  )
  const list = { ...service, kind: KINDS.list, walk: walks.list }
  const hotCases = walkCases({ ...list, server: hot, kind: KINDS.hot, places: ['first'] })
  const spread = walkCases({ ...list, places: ['spread'] })
  const listed = walkCases({ ...list, places: ends })
  const snapshot = walkCases({
    ...service,
    kind: KINDS.snapshot,
    walk: walks.snapshot,
    places: ends,
  })
  return {
    cases: [ceiling, ...hotCases, ...bareStore, ...spread, ...listed, ...snapshot],
    comparisons: [
      ...compareKinds([...spread, ...listed], bareStore, marks.bareStore),
      ...compare(spread[0], ceiling, marks.coldOfCeiling),
      ...compare(hotCases[0], ceiling, marks.hotOfCeiling),
      ...compareDepth(listed),
      ...compareDepth(snapshot),
      ...compareKinds(snapshot, listed, SNAPSHOT_MARK),
    ],
  }
}

const SNAPSHOT_MARK = costAtMost(1.1)

interface ListingMarks {
  readonly bareStore: Mark | undefined
  readonly coldOfCeiling: Mark | undefined
  readonly hotOfCeiling: Mark | undefined
}

/** A database behind a socket is asked before any page, so that the ceiling is none for it. */
function marksOf(store: StoreName, pageSize: number): ListingMarks {
  const isLarge = pageSize === 1000
  if (store === 'PostgreSQL') {
    const bareStore = isLarge ? cpuAtMost(2) : undefined
    return { bareStore, coldOfCeiling: undefined, hotOfCeiling: undefined }
  }
  return {
    bareStore: cpuAtMost(isLarge ? 1.25 : 1.6),
    coldOfCeiling: isLarge ? rateAtLeast(0.17) : undefined,
    hotOfCeiling: isLarge ? rateAtLeast(0.6) : undefined,
  }
}

function constantCase(server: MeasuredProcess, pageSize: number): PageCase {
  const calls = [{ method: 'GET', path: constantPath(pageSize) }] as const
  return { kind: KINDS.ceiling, place: 'first', at: 'one page', pageSize, server, calls }
}

function bareStoreCase(
  server: MeasuredProcess,
  objects: number,
  pageSize: number,
  place: Place,
): PageCase {
  const pages = pagesAt(place, objects, pageSize)
  const calls = pages.map((page) => {
    const before = objectsBefore(page, pageSize)
    const afterKey = before === 0 ? '' : partNumber(before - 1)
    return { method: 'GET', path: storePath(pageSize, afterKey) } as const
  })
  return { kind: KINDS.bare, place, at: nameOfPages(place, pages), pageSize, server, calls }
}
