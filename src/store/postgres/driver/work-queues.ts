/** How many connections each kind of work has, and the queues in which it waits for them. */
import { FairQueue } from '../../../admission/fair-queue.ts'
import {
  BUSY_WRITING,
  MAX_QUEUE_WAIT_MS,
  MAX_WRITE_WAIT_MS,
  TOO_MANY_PAGES,
  TOO_MANY_SLOW_QUERIES,
} from '../../slow-queries.ts'

/** Connections per kind of work, so that no kind uses up the connections of another. */
export const CONNECTIONS = { quick: 6, slow: 3, write: 5, unlimited: 2 } as const
/** One quick connection is reserved for authentication, the catalogue and `/readyz`. */
const PAGES_AT_ONCE = CONNECTIONS.quick - 1
/** Batches of one type wait for the same lock, so only one of them takes a connection. */
const WRITES_PER_KEY = 1

export function makeQueues() {
  return {
    pages: new FairQueue({
      slots: PAGES_AT_ONCE,
      slotsPerCaller: PAGES_AT_ONCE - 1,
      maxWaitMs: MAX_QUEUE_WAIT_MS,
      busyReason: TOO_MANY_PAGES,
    }),
    slowQueries: new FairQueue({
      slots: CONNECTIONS.slow,
      slotsPerCaller: CONNECTIONS.slow - 1,
      maxWaitMs: MAX_QUEUE_WAIT_MS,
      busyReason: TOO_MANY_SLOW_QUERIES,
    }),
    writes: new FairQueue({
      slots: CONNECTIONS.write,
      slotsPerCaller: CONNECTIONS.write - 1,
      slotsPerKey: WRITES_PER_KEY,
      maxWaitMs: MAX_WRITE_WAIT_MS,
      busyReason: BUSY_WRITING,
    }),
  }
}
