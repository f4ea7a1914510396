/**
 * The binary format of COPY: a header, rows, a trailer. A row is the number of its values, then each
 * value after its length in bytes. Numbers are big-endian.
 */

/** Precedes the first row: the signature, no flags, no extension. */
export const COPY_HEADER: Uint8Array = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
/** Stands where the number of values of a further row would be. */
export const COPY_TRAILER: Uint8Array = Buffer.from([0xff, 0xff])

/** Bytes per write to the connection. */
export const CHUNK_BYTES = 64 * 1024

/** Cuts bytes into chunks, which may end anywhere in a row. */
export function* chunksOfBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}

const INITIAL_CAPACITY = 1024
/** UTF-8 takes at most three bytes for each UTF-16 code unit. */
const MAX_UTF8_BYTES = 3
const NULL_LENGTH = -1

/** Collects bytes in a buffer that grows. */
export class CopyBuffer {
  readonly #capacity: number
  #bytes: Buffer<ArrayBuffer>
  #view: DataView<ArrayBuffer>
  #length = 0

  constructor(capacity = INITIAL_CAPACITY) {
    this.#capacity = capacity
    this.#bytes = Buffer.allocUnsafeSlow(capacity)
    this.#view = new DataView(this.#bytes.buffer)
  }

  get length(): number {
    return this.#length
  }

  addInt16(value: number): void {
    const at = this.#reserve(2)
    this.#view.setInt16(at, value)
  }

  addInt32(value: number): void {
    const at = this.#reserve(4)
    this.#view.setInt32(at, value)
  }

  addInt64(value: bigint): void {
    const at = this.#reserve(8)
    this.#view.setBigInt64(at, value)
  }

  addFloat64(value: number): void {
    const at = this.#reserve(8)
    this.#view.setFloat64(at, value)
  }

  addBytes(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** Adds a text in UTF-8, without its length. */
  addUtf8(text: string): void {
    const at = this.#reserve(MAX_UTF8_BYTES * text.length)
    this.#length = at + this.#bytes.write(text, at)
  }

  addNull(): void {
    this.addInt32(NULL_LENGTH)
  }

  /** Adds the bytes of a value, after their number. */
  addValue(bytes: Uint8Array): void {
    this.addInt32(bytes.length)
    this.addBytes(bytes)
  }

  /** Adds a value of type text. */
  addText(text: string): void {
    const start = this.startValue()
    this.addUtf8(text)
    this.endValue(start)
  }

  /** Starts a value whose length is known once it is written. */
  startValue(): number {
    return this.#reserve(4) + 4
  }

  /** Completes the value that began at `start`. */
  endValue(start: number): void {
    this.#view.setInt32(start - 4, this.#length - start)
  }

  /** Returns the bytes so far. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Returns the bytes so far, which the caller then owns, and starts a new buffer. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.bytes()
    this.#move(Buffer.allocUnsafeSlow(this.#capacity))
    this.#length = 0
    return bytes
  }

  /** Drops the bytes so far; the next ones take their place. */
  clear(): void {
    this.#length = 0
  }

  /** Reserves bytes, and returns their offset. */
  #reserve(count: number): number {
    const start = this.#length
    const end = start + count
    if (end > this.#bytes.length) this.#grow(end)
    this.#length = end
    return start
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#move(larger)
  }

  #move(bytes: Buffer<ArrayBuffer>): void {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }
}
