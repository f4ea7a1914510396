import { FairQueue } from '../../../admission/fair-queue.ts'
import { BUSY_WRITING, MAX_WRITE_WAIT_MS } from '../../slow-queries.ts'

/** SQLite has one writer. A job is sent after the previous one, so that callers share it fairly. */
export function createWriteQueue(): FairQueue {
  return new FairQueue({
    slots: 1,
    slotsPerCaller: 1,
    maxWaitMs: MAX_WRITE_WAIT_MS,
    busyReason: BUSY_WRITING,
  })
}
