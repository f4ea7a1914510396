/** How long queries and writes may wait in a queue, and the errors that clients receive. */
import { ObjectQueryError } from '../contract/errors.ts'

/** A query whose expected wait is longer is refused at once. */
export const MAX_QUEUE_WAIT_MS = 10_000

export const TOO_MANY_SLOW_QUERIES = 'Too many slow queries are running.'

export const TOO_MANY_PAGES = 'Too many pages are being read.'

/** Longer, because waiting is the backpressure for clients that load data. */
export const MAX_WRITE_WAIT_MS = 30_000

export const BUSY_WRITING = 'The database is busy writing other batches.'

export function queryTimedOut(timeoutMs: number): ObjectQueryError {
  return new ObjectQueryError('QueryTimedOut', { maxSeconds: timeoutMs / 1000 })
}

/**
 * How many abandoned queries of one caller are stopped immediately. Replacing a reader process
 * blocks the main thread for 10 ms or more, and cancelling a statement forks a process of the
 * database, so a caller that abandons queries in a loop keeps its slot for the grace period.
 */
export const PROMPT_STOPS = { capacity: 5, tokensPerSecond: 0.5 }
export const ABANDONED_GRACE_MS = 1000
