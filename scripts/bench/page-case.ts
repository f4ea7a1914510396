import type { Call } from './http-client.ts'
import type { MeasuredProcess } from './processes.ts'
import { type MarkedWalk, objectsBefore, type Place, pagesAt } from './walk.ts'

/** What is measured, and what it is compared with. */

/** Requests of one kind that are sent in turn. */
export interface PageCase {
  /** How the pages are asked for. */
  readonly kind: string
  readonly place: Place
  /** The place in words, such as `pages 900-919`. */
  readonly at: string
  /** Objects of a page; 1 where a single object is asked for. */
  readonly pageSize: number
  readonly server: MeasuredProcess
  readonly calls: readonly Call[]
  /** What the first of the pages must be; nothing for what is no full page of the service. */
  readonly expects?: ExpectedPage
}

export interface ExpectedPage {
  /** The object that it begins with, where the order is that of the keys. */
  readonly first?: { readonly number: number; readonly revision: number }
}

export type Measure = 'CPU' | 'p50' | 'req/s'

/** A bound on a ratio, in every one of the measures. */
export interface Mark {
  readonly measures: readonly Measure[]
  readonly bound: 'most' | 'least'
  readonly ratio: number
}

export interface Comparison {
  readonly of: PageCase
  readonly to: PageCase
  /** Without one the ratio is for information. */
  readonly mark: Mark | undefined
}

/** Cases that are measured together, so that they can be compared. */
export interface Phase {
  readonly title: string
  readonly cases: readonly PageCase[]
  readonly comparisons: readonly Comparison[]
}

export function cpuAtMost(ratio: number): Mark {
  return { measures: ['CPU'], bound: 'most', ratio }
}

/** For what the service and a database behind it do together. */
export function costAtMost(ratio: number): Mark {
  return { measures: ['CPU', 'p50'], bound: 'most', ratio }
}

export function rateAtLeast(ratio: number): Mark {
  return { measures: ['req/s'], bound: 'least', ratio }
}

/** How much more a deep page may cost than one of the first. */
const DEPTH_MARK = costAtMost(1.1)

/** Compares the deep pages of a walk with its first ones, where it has both. */
export function compareDepth(cases: readonly PageCase[]): readonly Comparison[] {
  const deep = cases.find(({ place }) => place === 'deep')
  const near = cases.find(({ place }) => place === 'near' || place === 'next')
  return compare(deep, near, DEPTH_MARK)
}

/** Compares the cases of two walks, each with that of the same place. */
export function compareKinds(
  cases: readonly PageCase[],
  others: readonly PageCase[],
  mark: Mark | undefined,
): readonly Comparison[] {
  return cases.flatMap((of) =>
    compare(
      of,
      others.find(({ place }) => place === of.place),
      mark,
    ),
  )
}

/** Nothing where one of the two does not exist. */
export function compare(
  of: PageCase | undefined,
  to: PageCase | undefined,
  mark: Mark | undefined,
): readonly Comparison[] {
  return of === undefined || to === undefined ? [] : [{ of, to, mark }]
}

export interface WalkCases {
  readonly server: MeasuredProcess
  readonly kind: string
  readonly walk: MarkedWalk
  readonly pageSize: number
  readonly places: readonly Place[]
  /** The revision of the objects that pages begin with, where they come in the order of the keys. */
  readonly revision?: number
}

/** The cases of one walk; none for a place that it does not have. */
export function walkCases(wish: WalkCases): readonly PageCase[] {
  const { server, kind, walk, pageSize, places, revision } = wish
  return places.flatMap((place) => {
    const pages = pagesAt(place, walk.objects, pageSize)
    const [page] = pages
    if (page === undefined) return []
    const calls = pages.map((each) =>
      walk.pages(pageSize, walk.tokens.get(objectsBefore(each, pageSize))),
    )
    const number = objectsBefore(page, pageSize)
    const expects = revision === undefined ? {} : { first: { number, revision } }
    return [{ kind, place, at: nameOfPages(place, pages), pageSize, server, calls, expects }]
  })
}

export function nameOfPages(place: Place, pages: readonly number[]): string {
  if (place === 'spread') return 'pages all over'
  return pages.length === 1 ? `page ${pages[0]}` : `pages ${pages[0]}-${pages.at(-1)}`
}
