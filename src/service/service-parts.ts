/** What use cases work with. `server/` creates it once. */
import type { MemoryBudget } from '../admission/memory-budget.ts'
import type { RetrievalLimit } from '../paging/retrieval-limit.ts'
import type { WalkTokens } from '../paging/walk-tokens.ts'
import type { QueryLimits } from '../query/parse/query-budget.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { TierCache } from './ranking/tier-cache.ts'

export interface ServiceParts {
  readonly store: ObjectStore
  readonly admission: Turns
  /** The memory for batches in progress and unsent pages. */
  readonly memory: MemoryBudget
  readonly walkTokens: WalkTokens
  /** The scored objects of walks by relevance. */
  readonly tierCache: TierCache
  readonly limits: ServiceLimits
  readonly now: () => number
  readonly newUuid: () => string
}

export interface ServiceLimits {
  readonly pageMaxBytes: number
  readonly listObjectsLimit: RetrievalLimit
  readonly query: QueryLimits
  readonly aggregateMaxGroups: number
}

/** How callers take turns on the main thread. */
export interface Turns {
  /** The current round of turns, see `resumeTurn`. */
  readonly round: number
  /** Returns a promise to wait for while other callers have their turn, or undefined to go ahead. */
  takeTurn(callerId: string): Promise<void> | undefined
  /** Takes another turn for work that was interrupted since the given round. */
  resumeTurn(callerId: string, round: number): Promise<void> | undefined
}
