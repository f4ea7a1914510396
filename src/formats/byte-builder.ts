/** A growable byte buffer that is reused. */

/** Capacity doubles when it is full, so each byte is copied only a few times on average. */
export class ByteBuilder {
  readonly #maxBytes: number
  #buffer = new Uint8Array(0)
  #length = 0

  /** Drops bytes beyond `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    const kept = piece.subarray(0, this.#maxBytes - this.#length)
    const length = this.#length + kept.length
    if (length > this.#buffer.length) this.#grow(length)
    this.#buffer.set(kept, this.#length)
    this.#length = length
  }

  /** Returns the bytes, which are valid until the next append, and empties the builder. */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#length)
    this.#length = 0
    return bytes
  }

  #grow(needed: number): void {
    const doubled = Math.max(needed, this.#buffer.length * 2, MIN_CAPACITY)
    const buffer = new Uint8Array(Math.min(doubled, this.#maxBytes))
    buffer.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = buffer
  }
}

const MIN_CAPACITY = 256
