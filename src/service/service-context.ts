import type { ObjectType } from '../ontology/ontology.ts'
import type { RequestContext } from '../store/port/request-context.ts'

/** A request in progress, as use cases see it. It ends with the last byte of the response. */
export interface ServiceContext extends RequestContext {
  /** Runs a callback when the request ends, or immediately if it has ended. */
  defer(callback: () => void): void
  /** Reports what was read for the response, which the audit log records. */
  noteRead(types: readonly Pick<ObjectType, 'apiName'>[], objects: number): void
}
