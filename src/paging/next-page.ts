import type { PageState, SnapshotState } from './page-token.ts'

/**
 * What follows a page: a token when more exists, none otherwise [2.1.1, 2.1.2], and for how long
 * the token lives.
 */

export interface ServedPage {
  readonly count: number
  readonly lastKey: string
  /** Whether at least one object comes after the last one of this page. */
  readonly more: boolean
}

/** The state that the next page starts from, or nothing after the last page. */
export function nextPageState(
  served: ServedPage,
  alreadySent: number,
  snapshot: SnapshotState | undefined,
): PageState | undefined {
  if (!served.more) return undefined
  return { after: served.lastKey, served: alreadySent + served.count, snapshot }
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
