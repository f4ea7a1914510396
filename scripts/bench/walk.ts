import { readBody, type Target } from './http-client.ts'
import type { Pages } from './requests.ts'

/** Walks through pages by their tokens, once, to know the tokens of the pages to measure. */

/** What is to be walked through. */
export interface Walk {
  readonly pages: Pages
  /** The largest page that the endpoint gives. */
  readonly maxPageSize: number
  /** Objects that it finds, at least. */
  readonly objects: number
}

/** A walk with the tokens that were kept of it. */
export interface MarkedWalk extends Walk {
  /** By the number of objects before it: a token knows no page size. */
  readonly tokens: ReadonlyMap<number, string | undefined>
}

const DEEP_PAGE = 900
/** Pages that a near or deep place consists of, one beside the other. */
const PLACE_PAGES = 20
const SPREAD_PAGES = 200

/**
 * Where in a walk pages lie: its first page; the first ones; those from the second on, where the
 * first does more than the others; page 900 and those behind it; or all over the walk.
 */
export type Place = 'first' | 'near' | 'next' | 'deep' | 'spread'

/** The pages of a place, all of them full and with another page after them. */
export function pagesAt(place: Place, objects: number, pageSize: number): readonly number[] {
  const last = Math.ceil(objects / pageSize) - 1
  // Fewer pages where there are few, so that near and deep stay apart.
  const width = Math.max(1, Math.min(PLACE_PAGES, Math.floor(last / 3)))
  const spread = Math.min(last, SPREAD_PAGES)
  const pages: Readonly<Record<Place, readonly number[]>> = {
    first: [1],
    near: pagesFrom(1, width),
    next: pagesFrom(2, width),
    deep: pagesFrom(Math.min(DEEP_PAGE, last - width + 1), width).filter(
      (page) => page > width + 1,
    ),
    spread: pagesFrom(0, spread).map((index) => 1 + Math.floor((index * last) / spread)),
  }
  return pages[place].filter((page) => page <= last)
}

export function objectsBefore(page: number, pageSize: number): number {
  return (page - 1) * pageSize
}

/** The pages whose tokens are to be kept. */
export interface MarkWish {
  readonly pageSizes: readonly number[]
  readonly places: readonly Place[]
}

/** Walks in the largest pages that end where a token is wanted. */
export async function markWalk(service: Target, walk: Walk, wish: MarkWish): Promise<MarkedWalk> {
  const tokens = new Map<number, string | undefined>()
  let token: string | undefined
  let passed = 0
  for (const wanted of wantedMarks(walk.objects, wish)) {
    while (passed < wanted) {
      const pageSize = Math.min(walk.maxPageSize, wanted - passed)
      token = findToken(await readBody(service, walk.pages(pageSize, token)))
      if (token === undefined) throw new Error('a walk ended before a page that is to be measured')
      passed += pageSize
    }
    tokens.set(wanted, token)
  }
  return { ...walk, tokens }
}

/** More than the token and what follows it in the envelope. */
const TAIL_BYTES = 1200

/** The token stands behind the records: no need to parse them to find it. */
export function findToken(page: Buffer): string | undefined {
  const tail = page.toString('latin1', Math.max(0, page.length - TAIL_BYTES))
  return /"nextPageToken":"([^"]+)"[^\]]*$/.exec(tail)?.[1]
}

function wantedMarks(objects: number, { pageSizes, places }: MarkWish): readonly number[] {
  const wanted = pageSizes.flatMap((pageSize) =>
    places
      .flatMap((place) => pagesAt(place, objects, pageSize))
      .map((page) => objectsBefore(page, pageSize)),
  )
  return [...new Set(wanted)].toSorted((a, b) => a - b)
}

function pagesFrom(first: number, length: number): readonly number[] {
  return Array.from({ length }, (_, index) => first + index)
}
