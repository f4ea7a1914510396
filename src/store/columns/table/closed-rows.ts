/**
 * The closed rows of a segment, as arrays that threads share. Entries are only added, so a list that
 * a thread has received stays as it was.
 */
import type { Closings } from '../segment/segment.ts'

const FIRST_CAPACITY = 64

export class ClosingList {
  #positions = new Uint32Array(new SharedArrayBuffer(0))
  #versions = new Float64Array(new SharedArrayBuffer(0))
  #count = 0

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#positions.byteLength + this.#versions.byteLength
  }

  get current(): Closings {
    return {
      positions: this.#positions.subarray(0, this.#count),
      versions: this.#versions.subarray(0, this.#count),
    }
  }

  /** Adds a row. Versions must not decrease. */
  add(position: number, version: number): void {
    if (this.#count === this.#positions.length) this.#grow()
    this.#positions[this.#count] = position
    this.#versions[this.#count] = version
    this.#count += 1
  }

  #grow(): void {
    const capacity = Math.max(FIRST_CAPACITY, 2 * this.#count)
    const positions = new Uint32Array(new SharedArrayBuffer(4 * capacity))
    const versions = new Float64Array(new SharedArrayBuffer(8 * capacity))
    positions.set(this.#positions)
    versions.set(this.#versions)
    this.#positions = positions
    this.#versions = versions
  }
}
