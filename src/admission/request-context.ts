/**
 * Whom a request is for, and whether anyone still waits for its answer. Stores share slow work
 * fairly between callers, and stop work that nobody waits for.
 */
export interface RequestContext {
  readonly callerId: string
  /** Aborted when the client has gone. Created on demand, because most requests never need it. */
  readonly signal: () => AbortSignal
}

const NEVER = new AbortController().signal

/** The service's own work: the demo, maintenance, commands that open the store themselves. */
export const INTERNAL_CONTEXT: RequestContext = { callerId: 'internal', signal: () => NEVER }
