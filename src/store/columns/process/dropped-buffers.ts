/**
 * Frees shared buffers that a thread has dropped. V8 does not collect the garbage of an idle thread, so
 * each thread could keep another old base of a table.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A collection takes some ten milliseconds. */
const KEPT_MAX_BYTES = 32 * 1024 ** 2

export class DroppedBuffers {
  #bytes = 0

  /** Counts bytes that nothing refers to once the current task of the event loop is done. */
  add(bytes: number): void {
    const before = this.#bytes
    this.#bytes += bytes
    if (this.#bytes > KEPT_MAX_BYTES && before <= KEPT_MAX_BYTES) setImmediate(() => this.#free())
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
