import { constantPath, storePath } from './bare-paths.ts'
import type { Call } from './http-client.ts'
import type { MeasuredProcess } from './processes.ts'
import {
  deepPage,
  listPages,
  type Marks,
  markWalk,
  PAGE_SIZES,
  type PageSize,
  type Pages,
  searchPages,
} from './walk.ts'

/** What is measured, and what it is compared with. */

/** A page that is asked for again and again. */
export interface PageCase {
  readonly name: string
  readonly pageSize: PageSize
  readonly server: MeasuredProcess
  readonly call: Call
  /** What the page must begin with, to be the page that it is called; none for bare pages. */
  readonly begins: { readonly number: number; readonly revision: number } | undefined
}

export interface Comparison {
  readonly name: string
  readonly pageSize: PageSize
  readonly of: PageCase
  readonly to: PageCase
  /** The target; without one the ratio is for information. */
  readonly atMost: number | undefined
}

/** Cases that are measured together, so that they can be compared. */
export interface Phase {
  readonly title: string
  readonly cases: readonly PageCase[]
  readonly comparisons: readonly Comparison[]
}

const DEPTH_AT_MOST = 1.3
const SNAPSHOT_AT_MOST = 1.2
/** The only size that search has. */
const SEARCH_PAGE_SIZE = 100

export interface WalkMarks {
  readonly pageSize: PageSize
  readonly deep: number
  readonly byDefault: Marks
  readonly bySnapshot: Marks
  readonly bySearch: Marks | undefined
}

export async function markFreshWalks(
  service: MeasuredProcess,
  objects: number,
): Promise<readonly WalkMarks[]> {
  const marks: WalkMarks[] = []
  for (const pageSize of PAGE_SIZES) {
    const deep = deepPage(objects, pageSize)
    const mark = (pages: Pages) => markWalk(service, pages, deep)
    marks.push({
      pageSize,
      deep,
      byDefault: await mark(listPages(pageSize, 'default')),
      bySnapshot: await mark(listPages(pageSize, 'snapshot')),
      bySearch: pageSize === SEARCH_PAGE_SIZE ? await mark(searchPages(pageSize)) : undefined,
    })
  }
  return marks
}

/** Nothing was updated yet: a snapshot is the newest version. */
export function freshPhase(
  service: MeasuredProcess,
  bare: MeasuredProcess,
  marks: readonly WalkMarks[],
): Phase {
  const parts = marks.map((walk) => {
    const listing = freshListing(service, bare, walk)
    return walk.bySearch === undefined
      ? [listing]
      : [listing, freshSearch(service, walk, walk.bySearch)]
  })
  return joinParts('No object was updated yet', parts.flat())
}

/**
 * Many objects have two versions. Two snapshots that are not the newest version: the one from
 * before the updates, and one from after them, as a walk has it that other clients write beside.
 */
export function updatedPhase(
  service: MeasuredProcess,
  before: readonly WalkMarks[],
  after: readonly WalkMarks[],
): Phase {
  const parts = before.flatMap((old) => {
    const newer = after.find(({ pageSize }) => pageSize === old.pageSize)
    return newer === undefined ? [] : [updatedListing(service, old, newer)]
  })
  return joinParts('After one object in five was updated', parts)
}

type Part = Pick<Phase, 'cases' | 'comparisons'>

function joinParts(title: string, parts: readonly Part[]): Phase {
  return {
    title,
    cases: parts.flatMap(({ cases }) => cases),
    comparisons: parts.flatMap(({ comparisons }) => comparisons),
  }
}

function freshListing(service: MeasuredProcess, bare: MeasuredProcess, walk: WalkMarks): Part {
  const { pageSize, deep, byDefault, bySnapshot } = walk
  const list = pageCases(service, pageSize, 'list', listPages(pageSize, 'default'), 0)
  const snapshot = pageCases(service, pageSize, 'snapshot', listPages(pageSize, 'snapshot'), 0)
  const first = list(1, undefined)
  const last = list(deep, byDefault.deep)
  const snapshotFirst = snapshot(1, undefined)
  const snapshotLast = snapshot(deep, bySnapshot.deep)
  const store = bareCase(bare, pageSize, 'bare store, page 1', storePath(pageSize))
  const ceiling = bareCase(bare, pageSize, 'ceiling', constantPath(pageSize))
  return {
    cases: [first, last, snapshotFirst, snapshotLast, store, ceiling],
    comparisons: [
      compare(last, first, DEPTH_AT_MOST),
      compare(snapshotLast, snapshotFirst, DEPTH_AT_MOST),
      compare(snapshotFirst, first, SNAPSHOT_AT_MOST),
      compare(snapshotLast, last, SNAPSHOT_AT_MOST),
      compare(first, store),
      compare(first, ceiling),
    ],
  }
}

function freshSearch(service: MeasuredProcess, walk: WalkMarks, marks: Marks): Part {
  const search = pageCases(service, walk.pageSize, 'search', searchPages(walk.pageSize), 0)
  const first = search(1, undefined)
  const last = search(walk.deep, marks.deep)
  return { cases: [first, last], comparisons: [compare(last, first, DEPTH_AT_MOST)] }
}

function updatedListing(service: MeasuredProcess, old: WalkMarks, newer: WalkMarks): Part {
  const { pageSize, deep } = old
  const cases = (name: string, mode: 'default' | 'snapshot', marks: Marks, revision: number) => {
    const at = pageCases(service, pageSize, name, listPages(pageSize, mode), revision)
    return { second: at(2, marks.second), deep: at(deep, marks.deep) }
  }
  // Page 1 of a snapshot is always the newest version: the old ones begin with page 2.
  const list = cases('list', 'default', newer.byDefault, 1)
  const snapshots = [
    cases('snapshot before updates', 'snapshot', old.bySnapshot, 0),
    cases('snapshot after updates', 'snapshot', newer.bySnapshot, 1),
  ]
  return {
    cases: [list, ...snapshots].flatMap((each) => [each.second, each.deep]),
    comparisons: [
      ...[list, ...snapshots].map((each) => compare(each.deep, each.second, DEPTH_AT_MOST)),
      ...snapshots.flatMap((each) => [
        compare(each.second, list.second, SNAPSHOT_AT_MOST),
        compare(each.deep, list.deep, SNAPSHOT_AT_MOST),
      ]),
    ],
  }
}

function pageCases(
  server: MeasuredProcess,
  pageSize: PageSize,
  name: string,
  pages: Pages,
  revision: number,
): (page: number, token: string | undefined) => PageCase {
  return (page, token) => ({
    name: `${name}, page ${page.toLocaleString('en')}`,
    pageSize,
    server,
    call: pages(token),
    begins: { number: (page - 1) * pageSize, revision },
  })
}

function bareCase(
  server: MeasuredProcess,
  pageSize: PageSize,
  name: string,
  path: string,
): PageCase {
  return { name, pageSize, server, call: { method: 'GET', path }, begins: undefined }
}

function compare(of: PageCase, to: PageCase, atMost?: number): Comparison {
  return { name: `${of.name} / ${to.name}`, pageSize: of.pageSize, of, to, atMost }
}
