/** What use cases work with. `server/` creates it once. */
import type { Admission } from '../admission/admission.ts'
import type { MemoryBudget } from '../admission/request-memory.ts'
import type { RetrievalLimit } from '../paging/page-limits.ts'
import type { WalkTokens } from '../paging/walk-tokens.ts'
import type { QueryLimits } from '../query/parse/query-budget.ts'
import type { Objects, StoreBesideObjects } from '../store/object-store.ts'
import type { Followers } from './changes/followers.ts'
import type { TierCache } from './relevance/tier-cache.ts'

export interface ServiceParts {
  /** The objects, with the rules of the caller of each request. */
  readonly objects: Objects
  readonly store: StoreBesideObjects
  readonly admission: Admission
  /** The memory for batches in progress and unsent pages. */
  readonly memory: MemoryBudget
  readonly walkTokens: WalkTokens
  readonly followers: Followers
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
