import type { MemoryBudget } from '../admission/memory-budget.ts'
import type { RetrievalLimit } from '../paging/retrieval-limit.ts'
import type { TokenKeys } from '../paging/token-keys.ts'
import type { QueryLimits } from '../query/parse/query-budget.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { EventSink } from './events.ts'
import type { Admission } from './request/admission.ts'

/** What the endpoints work with: made once by `server/`, handed to all. */
export interface Services {
  readonly store: ObjectStore
  readonly admission: Admission
  /** Memory of batches in progress and pages that are not sent yet. */
  readonly memory: MemoryBudget
  readonly tokenKeys: TokenKeys
  /** The hash of the token with every right, where one is set. */
  readonly adminTokenHash: string | undefined
  readonly limits: PagingLimits
  readonly now: () => number
  readonly newUuid: () => string
  readonly emit: EventSink
  /** Whether anybody hears of requests that went well: watching each of them has its price. */
  readonly reportsRequests: boolean
  /** Whether the service is about to end, so that clients should take their next request elsewhere. */
  readonly isStopping: () => boolean
}

export interface PagingLimits {
  readonly pageTokenTtlSeconds: number
  readonly snapshotMaxAgeSeconds: number
  readonly pageMaxBytes: number
  readonly listObjectsLimit: RetrievalLimit
  readonly query: QueryLimits
  readonly aggregateMaxGroups: number
}
