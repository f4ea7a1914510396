/** Decides whether a page has a successor [2.1.1] [2.1.2], and where that page starts. */
import type { Cursor } from './cursor.ts'
import type { PageState, SnapshotState } from './page-token.ts'

export interface ServedPage {
  readonly count: number
  readonly last: Cursor | undefined
  /** True if at least one object follows the last one of this page. */
  readonly more: boolean
}

/** What all pages of a walk have in common. */
export interface WalkState {
  readonly alreadySent: number
  readonly totalCount: number | undefined
  /** The store's hint for the next page of a walk that is not counted. */
  readonly matchEstimate?: number | undefined
  readonly snapshot: SnapshotState | undefined
  /** When the walk started, if its query has relative dates. */
  readonly startedAtMs?: number | undefined
  readonly listedTypes?: readonly number[] | undefined
}

/** Returns the state that the next page starts from, or undefined after the last page. */
export function nextPageState(served: ServedPage, walk: WalkState): PageState | undefined {
  if (!served.more || served.last === undefined) return undefined
  return {
    after: served.last,
    served: walk.alreadySent + served.count,
    totalCount: walk.totalCount,
    matchEstimate: walk.totalCount === undefined ? walk.matchEstimate : undefined,
    snapshot: walk.snapshot,
    startedAtMs: walk.snapshot === undefined ? walk.startedAtMs : undefined,
    listedTypes: walk.listedTypes,
  }
}
