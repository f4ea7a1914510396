import type { RequestContext } from '../admission/request-context.ts'
import type { ObjectType } from '../ontology/ontology.ts'

/** The request that a use case works for, whatever protocol it arrived by. */
export interface ServiceContext extends RequestContext {
  /** Runs a callback when the request ends, or immediately if it has ended. */
  defer(callback: () => void): void
  /** Takes note of what was read, for the audit log. */
  noteRead(types: readonly Pick<ObjectType, 'apiName'>[], objects: number): void
  /** Throws if the request has ended, so that no work continues for a client that left. */
  throwIfEnded(): void
  /** Runs a read of the store and adds its duration, waiting for a free slot included. */
  timeStore<T>(read: () => Promise<T>): Promise<T>
  /** Runs work of the store that is not a page, and adds it to the trace. */
  traceStore<T>(name: 'aggregate' | 'commit', work: () => Promise<T>): Promise<T>
}
