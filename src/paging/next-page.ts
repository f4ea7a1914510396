import type { LastServed, PageState, SnapshotState } from './page-token.ts'

/**
 * What follows a page: a token when more exists, none otherwise [2.1.1, 2.1.2], and for how long
 * the token lives.
 */

export interface ServedPage {
  readonly count: number
  readonly last: LastServed | undefined
  /** Whether at least one object comes after the last one of this page. */
  readonly more: boolean
}

/** What all pages of a walk share. */
export interface WalkState {
  readonly alreadySent: number
  readonly totalCount: number | undefined
  /** The store's hint for the next page of a walk that is not counted. */
  readonly matchEstimate?: number | undefined
  readonly snapshot: SnapshotState | undefined
}

/** The state that the next page starts from, or nothing after the last page. */
export function nextPageState(served: ServedPage, walk: WalkState): PageState | undefined {
  if (!served.more || served.last === undefined) return undefined
  return {
    after: served.last,
    served: walk.alreadySent + served.count,
    totalCount: walk.totalCount,
    matchEstimate: walk.totalCount === undefined ? walk.matchEstimate : undefined,
    snapshot: walk.snapshot,
  }
}

export interface TokenLife {
  readonly ttlSeconds: number
  readonly snapshotMaxAgeSeconds: number
}

/** Every page renews the life of the walk, but no token outlives the data that it points to. */
export function tokenExpiry(
  nowSeconds: number,
  snapshot: SnapshotState | undefined,
  life: TokenLife,
): number {
  const renewed = nowSeconds + life.ttlSeconds
  if (snapshot === undefined) return renewed
  return Math.min(renewed, snapshot.takenAtSeconds + life.snapshotMaxAgeSeconds)
}
