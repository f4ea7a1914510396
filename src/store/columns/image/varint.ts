/** Numbers in as few bytes as they need, seven bits each, the lowest first. */

/** A list of bytes that grows. */
export class ByteList {
  #bytes = new Uint8Array(8)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The bytes so far, which change with the next one. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Adds a whole number from 0 to 2^32 - 1. */
  addNumber(number: number): void {
    this.#reserve(5)
    let rest = number
    while (rest > 127) {
      this.#bytes[this.#length] = (rest & 127) | 128
      this.#length += 1
      rest >>>= 7
    }
    this.#bytes[this.#length] = rest
    this.#length += 1
  }

  addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** Reads the numbers of `ByteList` one after the other. */
export class NumberReader {
  readonly #bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  next(): number {
    const bytes = this.#bytes
    let byte = bytes[this.at] as number
    this.at += 1
    if (byte < 128) return byte
    let number = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[this.at] as number
      this.at += 1
      number |= (byte & 127) << shift
    }
    return number >>> 0
  }
}
