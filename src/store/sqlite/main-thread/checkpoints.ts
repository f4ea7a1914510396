/**
 * Moves what is in the WAL to the database on the checkpoint thread, so that commits seldom do. A
 * commit that checkpoints takes many times as long as one that does not.
 */
import type { StoreGuard } from '../file/store-guard.ts'
import type { Checkpointer } from '../threads/store-threads.ts'

/** Pages that several steps of a long write change are moved once, and commits wait less for the disk. */
const INTERVAL_MS = 250
/** Small writes between two looks at the size of the WAL; a write changes about 15 pages. */
const WRITES_PER_LOOK = 32
/** After small writes, the WAL is moved once this many pages wait for it: 4 MB. */
const SMALL_WRITES_PAGES = 500

export class Checkpoints {
  readonly #guard: StoreGuard
  readonly #checkpointer: Checkpointer
  #isRunning = false
  #isClosed = false
  #nextAt = 0
  #writes = 0

  constructor(guard: StoreGuard, checkpointer: Checkpointer) {
    this.#guard = guard
    this.#checkpointer = checkpointer
  }

  /** Notes a step of a long write. */
  noteStep(): void {
    const now = performance.now()
    if (now < this.#nextAt) return
    this.#nextAt = now + INTERVAL_MS
    this.#run(0)
  }

  /** Notes small writes, which share a commit. */
  noteWrites(count: number): void {
    this.#writes += count
    if (this.#writes < WRITES_PER_LOOK || this.#isRunning) return
    this.#writes = 0
    this.#run(SMALL_WRITES_PAGES)
  }

  /** Starts no further checkpoint. */
  close(): void {
    this.#isClosed = true
  }

  #run(minPages: number): void {
    if (this.#isRunning || this.#isClosed) return
    this.#isRunning = true
    this.#guard
      .write(() => this.#checkpointer.run('checkpoint', minPages))
      // The writer thread checkpoints a WAL that grows too large, and then reports what failed.
      .catch(() => {})
      .finally(() => {
        this.#isRunning = false
      })
  }
}
