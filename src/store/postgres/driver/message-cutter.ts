/** Splits the stream of a PostgreSQL server into whole messages. */

/** A type byte, then four bytes with the length, which includes themselves. */
export const HEADER_BYTES = 5

export function messageLength(bytes: Buffer, at: number): number {
  return 1 + bytes.readUInt32BE(at + 1)
}

/** Passes on whole messages only, and joins those that arrive in pieces. */
export class MessageCutter {
  readonly #take: (wholeMessages: Buffer) => void
  /** The beginning of a message that is not complete yet. */
  #pieces: Buffer[] = []
  #held = 0

  constructor(take: (wholeMessages: Buffer) => void) {
    this.#take = take
  }

  push(chunk: Buffer): void {
    let bytes = chunk
    if (this.#held > 0) {
      const rest = this.#complete(bytes)
      if (rest === undefined) return
      bytes = rest
    }
    let end = 0
    while (end + HEADER_BYTES <= bytes.length) {
      const next = end + messageLength(bytes, end)
      if (next > bytes.length) break
      end = next
    }
    if (end > 0) this.#take(bytes.subarray(0, end))
    if (end < bytes.length) this.#hold(bytes.subarray(end))
  }

  /** Returns the bytes after the incomplete message; undefined if it is still incomplete. */
  #complete(bytes: Buffer): Buffer | undefined {
    if (this.#held < HEADER_BYTES) {
      const joined = Buffer.concat([...this.#pieces, bytes])
      this.#pieces = []
      this.#held = 0
      return joined
    }
    const [first = bytes] = this.#pieces
    const missing = messageLength(first, 0) - this.#held
    this.#hold(bytes.subarray(0, missing))
    if (bytes.length < missing) return undefined
    const message = Buffer.concat(this.#pieces, this.#held)
    this.#pieces = []
    this.#held = 0
    this.#take(message)
    return bytes.subarray(missing)
  }

  /** Copies the piece, because `freeRows` releases the memory of its whole chunk. */
  #hold(piece: Buffer): void {
    this.#pieces.push(Buffer.from(piece))
    this.#held += piece.length
  }
}
