import { constantPath, storePath } from './bare-paths.ts'
import type { Call } from './http-client.ts'
import type { MeasuredProcess } from './processes.ts'
import { type DeepMarks, listPages, type PageSize, type Pages, searchPages } from './walk.ts'

/** What is measured, and what it is compared with. */

/** A page that is asked for again and again. */
export interface PageCase {
  /** How the page is asked for. */
  readonly kind: string
  readonly page: number
  readonly pageSize: PageSize
  readonly server: MeasuredProcess
  readonly call: Call
  /** What the page must begin with, to be the page that it is called; none for bare pages. */
  readonly begins: { readonly number: number; readonly revision: number } | undefined
}

export interface Comparison {
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

/** The tokens of the walks that were made before anything was updated. */
export interface FreshMarks {
  readonly list: readonly DeepMarks[]
  readonly snapshot: readonly DeepMarks[]
  readonly search: readonly DeepMarks[]
}

/** Nothing was updated yet: a snapshot is the newest version. */
export function freshPhase(
  service: MeasuredProcess,
  bare: MeasuredProcess,
  { list, snapshot, search }: FreshMarks,
): Phase {
  const parts = bySize(list, snapshot).map((marks) => freshListing(service, bare, ...marks))
  return joinParts('No object was updated yet', [
    ...parts,
    ...search.map((marks) => freshSearch(service, marks)),
  ])
}

/**
 * Many objects have two versions. Two snapshots that are not the newest version: the one from
 * before the updates, and one from after them, as a walk has it that other clients write beside.
 */
export function updatedPhase(
  service: MeasuredProcess,
  { list, snapshot }: FreshMarks,
  newer: readonly DeepMarks[],
): Phase {
  const parts = bySize(list, snapshot, newer).map((marks) => updatedListing(service, ...marks))
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

/** The marks of several walks, those of the same page size together. */
function bySize<T extends readonly (readonly DeepMarks[])[]>(...walks: T) {
  const [first = []] = walks
  return first.map((_, index) => walks.map((walk) => walk[index])) as {
    [Walk in keyof T]: DeepMarks
  }[]
}

function freshListing(
  service: MeasuredProcess,
  bare: MeasuredProcess,
  listMarks: DeepMarks,
  snapshotMarks: DeepMarks,
): Part {
  const { pageSize } = listMarks
  const list = fromFirst(service, 'list default', listPages(pageSize, 'default'), listMarks)
  const snapshot = fromFirst(
    service,
    'list snapshot',
    listPages(pageSize, 'snapshot'),
    snapshotMarks,
  )
  const store = bareCase(bare, 'bare store', pageSize, storePath(pageSize))
  const ceiling = bareCase(bare, 'ceiling', pageSize, constantPath(pageSize))
  return {
    cases: [list.near, list.deep, snapshot.near, snapshot.deep, store, ceiling],
    comparisons: [
      compareDepth(list),
      compareDepth(snapshot),
      ...compareSnapshot(snapshot, list),
      { of: list.near, to: store, atMost: undefined },
      { of: list.near, to: ceiling, atMost: undefined },
    ],
  }
}

function freshSearch(service: MeasuredProcess, marks: DeepMarks): Part {
  const search = fromFirst(service, 'search', searchPages(marks.pageSize), marks)
  return { cases: [search.near, search.deep], comparisons: [compareDepth(search)] }
}

function updatedListing(
  service: MeasuredProcess,
  listMarks: DeepMarks,
  oldMarks: DeepMarks,
  newerMarks: DeepMarks,
): Part {
  const { pageSize } = listMarks
  const snapshotPages = listPages(pageSize, 'snapshot')
  // Page 1 of a snapshot is always the newest version: the old ones begin with page 2.
  const list = fromSecond(service, 'list default', listPages(pageSize, 'default'), listMarks, 1)
  const old = fromSecond(service, 'snapshot before updates', snapshotPages, oldMarks, 0)
  const newer = fromSecond(service, 'snapshot one commit old', snapshotPages, newerMarks, 1)
  return {
    cases: [list, old, newer].flatMap(({ near, deep }) => [near, deep]),
    comparisons: [
      ...[list, old, newer].map(compareDepth),
      ...compareSnapshot(old, list),
      ...compareSnapshot(newer, list),
    ],
  }
}

/** Two pages of one walk: one at its beginning and one deep inside. */
interface Walked {
  readonly near: PageCase
  readonly deep: PageCase
}

function fromFirst(server: MeasuredProcess, kind: string, pages: Pages, marks: DeepMarks): Walked {
  const at = casesOf(server, kind, pages, marks, 0)
  return { near: at(1), deep: at(marks.deepPage, marks.deep) }
}

function fromSecond(
  server: MeasuredProcess,
  kind: string,
  pages: Pages,
  marks: DeepMarks,
  revision: number,
): Walked {
  const at = casesOf(server, kind, pages, marks, revision)
  return { near: at(2, marks.second), deep: at(marks.deepPage, marks.deep) }
}

function casesOf(
  server: MeasuredProcess,
  kind: string,
  pages: Pages,
  { pageSize }: DeepMarks,
  revision: number,
): (page: number, token?: string) => PageCase {
  return (page, token) => ({
    kind,
    page,
    pageSize,
    server,
    call: pages(token),
    begins: { number: (page - 1) * pageSize, revision },
  })
}

function bareCase(
  server: MeasuredProcess,
  kind: string,
  pageSize: PageSize,
  path: string,
): PageCase {
  return { kind, page: 1, pageSize, server, call: { method: 'GET', path }, begins: undefined }
}

function compareDepth({ near, deep }: Walked): Comparison {
  return { of: deep, to: near, atMost: DEPTH_AT_MOST }
}

function compareSnapshot(snapshot: Walked, list: Walked): readonly Comparison[] {
  return [
    { of: snapshot.near, to: list.near, atMost: SNAPSHOT_AT_MOST },
    { of: snapshot.deep, to: list.deep, atMost: SNAPSHOT_AT_MOST },
  ]
}
