/**
 * Collects chunks into blocks of a fixed size, each with a buffer of its own that can be moved to
 * another thread. The bytes are copied, because a chunk may share its memory with others.
 */
export class BlockBuilder {
  readonly #blockBytes: number
  #block = new Uint8Array(0)
  #length = 0

  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes
  }

  /** Yields the blocks that a chunk completes. */
  *add(chunk: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + this.#blockBytes - this.#length)
      this.#reserve(this.#length + piece.length)
      this.#block.set(piece, this.#length)
      this.#length += piece.length
      at += piece.length
      if (this.#length === this.#blockBytes) yield this.take()
    }
  }

  /** Returns the bytes that are left, and starts a new block. */
  take(): Uint8Array {
    const bytes = this.#block.subarray(0, this.#length)
    this.#block = new Uint8Array(0)
    this.#length = 0
    return bytes
  }

  #reserve(needed: number): void {
    if (needed <= this.#block.length) return
    const doubled = Math.min(this.#blockBytes, Math.max(needed, 2 * this.#block.length))
    const block = new Uint8Array(doubled)
    block.set(this.#block.subarray(0, this.#length))
    this.#block = block
  }
}
