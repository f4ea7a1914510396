import { FairQueue } from '../../../admission/fair-queue.ts'
import { BUSY_WRITING, MAX_WRITE_WAIT_MS } from '../../slow-queries.ts'
import { WorkerThread } from '../threads/worker-thread.ts'
import type { WriteJobs } from '../threads/write-jobs.ts'

/** SQLite has one writer. A job is sent after the previous one, so that callers share it fairly. */
export function createWriteQueue(): FairQueue {
  return new FairQueue({
    slots: 1,
    slotsPerCaller: 1,
    maxWaitMs: MAX_WRITE_WAIT_MS,
    busyReason: BUSY_WRITING,
  })
}

/** Creates the thread that runs writes, one after the other. */
export function createWriter(path: string): WorkerThread<WriteJobs> {
  return new WorkerThread({
    module: 'writer-thread',
    path,
    lostReason: 'the writer thread ended; whether this was written is not known',
  })
}
