/** Numbers in as few bytes as they need, seven bits each, the lowest first. */

/** Returns the number of bytes that a whole number from 0 to 2^32 - 1 takes. */
export function bytesOfNumber(number: number): number {
  if (number < 0x80) return 1
  if (number < 0x4000) return 2
  if (number < 0x20_0000) return 3
  return number < 0x1000_0000 ? 4 : 5
}

/** Writes a number, and returns the place after it. */
export function writeNumber(bytes: Uint8Array, at: number, number: number): number {
  let rest = number
  let next = at
  while (rest > 127) {
    bytes[next] = (rest & 127) | 128
    next += 1
    rest >>>= 7
  }
  bytes[next] = rest
  return next + 1
}

/** A list of bytes that grows. */
export class ByteList {
  #bytes = new Uint8Array(64)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The bytes so far, which change with the next one. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  at(index: number): number {
    return this.#bytes[index] as number
  }

  addByte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#length] = byte
    this.#length += 1
  }

  /** Adds a whole number from 0 to 2^32 - 1. */
  addNumber(number: number): void {
    this.#reserve(5)
    this.#length = writeNumber(this.#bytes, this.#length, number)
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

/** Reads numbers one after the other. */
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
