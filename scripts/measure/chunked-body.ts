/** Finds the data and the end of a response with `transfer-encoding: chunked`. */
export class ChunkedBody {
  /** Bytes left of the current chunk, with the line end that closes it. */
  #left = 0
  #sizeLine = ''
  #isLast = false

  /** Passes on the data; returns true when the body is complete. */
  receive(piece: Buffer, onData: (data: Buffer) => void): boolean {
    let at = 0
    while (at < piece.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, piece.length - at)
        const data = Math.min(taken, this.#left - LINE_END)
        if (data > 0) onData(piece.subarray(at, at + data))
        this.#left -= taken
        at += taken
        if (this.#left === 0 && this.#isLast) return true
      } else {
        at = this.#readSize(piece, at)
      }
    }
    return false
  }

  #readSize(piece: Buffer, from: number): number {
    const newline = piece.indexOf('\n', from)
    const end = newline === -1 ? piece.length : newline + 1
    this.#sizeLine += piece.toString('latin1', from, end)
    if (newline !== -1) {
      const size = Number.parseInt(this.#sizeLine, 16)
      this.#sizeLine = ''
      this.#isLast = size === 0
      this.#left = size + LINE_END
    }
    return end
  }
}

const LINE_END = 2
