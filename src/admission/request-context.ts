/**
 * The caller of a request, and a signal that is aborted when its client disconnects. Stores share
 * slow work fairly between callers, and stop work whose client has gone.
 */
export interface RequestContext {
  readonly callerId: string
  /** Aborted when the client has gone. Created on demand, because most requests never need it. */
  readonly signal: () => AbortSignal
}

const NEVER = new AbortController().signal

/** The service's own work: the demo, maintenance, commands that open the store themselves. */
export const INTERNAL_CONTEXT: RequestContext = { callerId: 'internal', signal: () => NEVER }
