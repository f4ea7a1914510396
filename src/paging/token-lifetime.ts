/** How long a walk may pause between two pages, and how old its snapshot may become [2.1.5] [4.5.2]. */
import type { SnapshotState } from './page-token.ts'

export interface TokenLifetime {
  readonly ttlSeconds: number
  readonly snapshotMaxAgeSeconds: number
}

/** Returns when a token expires. Each page renews the walk, but no token outlives its snapshot. */
export function tokenExpiry(
  nowSeconds: number,
  snapshot: SnapshotState | undefined,
  lifetime: TokenLifetime,
): number {
  const renewed = nowSeconds + lifetime.ttlSeconds
  if (snapshot === undefined) return renewed
  return Math.min(renewed, endOfSnapshot(snapshot, lifetime))
}

/** Returns when the last token of a snapshot expires. */
export function endOfSnapshot(
  { takenAtSeconds }: SnapshotState,
  { snapshotMaxAgeSeconds }: TokenLifetime,
): number {
  return takenAtSeconds + snapshotMaxAgeSeconds
}
