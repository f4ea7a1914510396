/**
 * The caller of a request, and a signal that is aborted when its client disconnects. Stores share
 * slow work fairly between callers, and stop work when its client has disconnected.
 */
export interface RequestContext {
  readonly callerId: string
  /** Returns the signal, which is created on demand because most requests never need it. */
  readonly signal: () => AbortSignal
}

const NEVER = new AbortController().signal

/** The context of the service's own work: the demo, maintenance, commands that open a store. */
export const INTERNAL_CONTEXT: RequestContext = { callerId: 'internal', signal: () => NEVER }
