/** How long queries and writes may wait for their turn, and what clients are told; for all stores. */
import { ObjectQueryError } from '../contract/errors.ts'

/** A query that would wait longer for its turn is refused at once. */
export const MAX_QUEUE_WAIT_MS = 10_000

export const TOO_MANY_SLOW_QUERIES = 'Too many slow queries are running.'

export const TOO_MANY_PAGES = 'Too many pages are being read.'

/** Waiting to write is how a client that loads data is slowed down, so it may take longer. */
export const MAX_WRITE_WAIT_MS = 30_000

export const BUSY_WRITING = 'The database is busy: other batches are being written.'

export function queryTimedOut(timeoutMs: number): ObjectQueryError {
  return new ObjectQueryError('QueryTimedOut', { maxSeconds: timeoutMs / 1000 })
}
