/**
 * Frees shared buffers that a thread has dropped. V8 does not collect the garbage of an idle thread, so
 * each thread could keep other columns that were evicted.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A collection takes some ten milliseconds. */
const KEPT_MAX_BYTES = 32 * 1024 ** 2
/** Of the memory for columns. */
const KEPT_MAX_SHARE = 1 / 8

export class DroppedBuffers {
  readonly #keptMax: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#keptMax = Math.min(KEPT_MAX_BYTES, maxBytes * KEPT_MAX_SHARE)
  }

  /** Counts bytes that nothing refers to once the current task of the event loop is done. */
  add(bytes: number): void {
    const before = this.#bytes
    this.#bytes += bytes
    if (this.#bytes > this.#keptMax && before <= this.#keptMax) setImmediate(() => this.#free())
  }

  #free(): void {
    this.#bytes = 0
    collectGarbage()
  }
}

/** Collects all garbage of the thread. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
}
