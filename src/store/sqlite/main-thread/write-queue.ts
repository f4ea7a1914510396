import { FairQueue, type TaskOwner } from '../../../admission/fair-queue.ts'
import { BUSY_WRITING, MAX_WRITE_WAIT_MS } from '../../slow-queries.ts'

/** How long after a write had to wait others are likely to follow. */
const SHARED_MS = 2000

/** SQLite has one writer. A job is sent after the previous one, so that callers share it fairly. */
export class WriteQueue extends FairQueue {
  /** The number of writes that wait or run. The writer thread reads it during long writes. */
  readonly pending = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

  constructor() {
    super({
      slots: 1,
      slotsPerCaller: 1,
      maxWaitMs: MAX_WRITE_WAIT_MS,
      busyReason: BUSY_WRITING,
    })
  }

  #sharedAt = Number.NEGATIVE_INFINITY

  /** True if a write has recently had to wait for another one. */
  isShared(): boolean {
    return performance.now() - this.#sharedAt < SHARED_MS
  }

  override async run<T>(owner: TaskOwner, task: () => Promise<T>): Promise<T> {
    if (Atomics.add(this.pending, 0, 1) > 0) this.#sharedAt = performance.now()
    try {
      return await super.run(owner, task)
    } finally {
      Atomics.sub(this.pending, 0, 1)
    }
  }
}
