/**
 * Measures what a question takes in its thread besides columns: objects in the heap and arrays beside
 * it, such as those of groups. It counts as memory of columns, so columns are evicted for it.
 */
import { getHeapStatistics } from 'node:v8'
import { collectGarbage } from './dropped-buffers.ts'

/** What a thread takes without a question; the documents name it beside the setting. */
const IDLE_BYTES = 24 * 1024 ** 2
/** Measuring takes some microseconds. */
const CHUNKS = 16
/** A thread that keeps less garbage leaves it to the next question: a collection takes long. */
const GARBAGE_MAX_BYTES = 64 * 1024 ** 2
const GARBAGE_MAX_SHARE = 1 / 2

const MIN_BYTES = 32 * 1024 ** 2

/** Returns how much one question may take: all of them together, half of the memory for columns. */
export function maxQuestionBytes(maxBytes: number, threads: number): number {
  return Math.max(MIN_BYTES, maxBytes / (2 * threads))
}

/** Thrown if a question takes more than it may. */
export class TooMuchMemory extends Error {}

export class QuestionMemory {
  readonly #maxBytes: number
  readonly #report: (bytes: number) => void
  #chunks = 0
  /** After the last collection. */
  #collected = 0

  constructor(maxBytes: number, report: (bytes: number) => void) {
    this.#maxBytes = maxBytes
    this.#report = report
  }

  /** Called after each chunk. */
  look(): void {
    this.#chunks += 1
    if (this.#chunks % CHUNKS !== 0) return
    if (usedBytes() > this.#maxBytes) collectGarbage()
    const used = usedBytes()
    this.#report(used)
    if (used > this.#maxBytes) throw new TooMuchMemory(`a question took ${used} bytes`)
  }

  /** Called once a question was answered and nothing refers to what it took. */
  end(): void {
    this.#report(0)
    const garbageMax = Math.min(GARBAGE_MAX_BYTES, this.#maxBytes * GARBAGE_MAX_SHARE)
    if (usedBytes() <= this.#collected + garbageMax) return
    collectGarbage()
    this.#collected = usedBytes()
  }
}

function usedBytes(): number {
  const { used_heap_size: heap, external_memory: beside } = getHeapStatistics()
  return Math.max(0, heap + beside - IDLE_BYTES)
}
