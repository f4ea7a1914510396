/**
 * Bytes that are put together piece by piece. The room doubles when it is full, so that however
 * small the pieces are, each byte is copied at most a few times. Room is reused from one run of
 * bytes to the next.
 */
export class ByteBuilder {
  readonly #maxBytes: number
  #room = Buffer.alloc(0)
  #length = 0

  /** Bytes beyond `maxBytes` are dropped. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    const kept = piece.subarray(0, this.#maxBytes - this.#length)
    const length = this.#length + kept.length
    if (length > this.#room.length) this.#grow(length)
    this.#room.set(kept, this.#length)
    this.#length = length
  }

  /** Returns the bytes, which are valid until the next append, and starts over. */
  take(): Buffer {
    const bytes = this.#room.subarray(0, this.#length)
    this.#length = 0
    return bytes
  }

  #grow(needed: number): void {
    const doubled = Math.max(needed, this.#room.length * 2, SMALLEST_ROOM)
    const room = Buffer.allocUnsafe(Math.min(doubled, this.#maxBytes))
    room.set(this.#room.subarray(0, this.#length))
    this.#room = room
  }
}

const SMALLEST_ROOM = 256
