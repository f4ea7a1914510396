/** Numbers distinct terms, from their bytes: a Map would need a text for every occurrence. */
import { Growing } from '../arrays/growing.ts'
import { ByteList } from '../arrays/varint.ts'

/** Hashes of bytes begin with this (FNV-1a). */
export const HASH_START = 0x811c_9dc5

export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x0100_0193)
}

export class TermNumbers {
  /** Numbers by hash, plus 1; 0 is none. The length is a power of two. */
  #slots = new Int32Array(1024)
  readonly #hashes = new Growing((length) => new Uint32Array(length), 512)
  readonly #bytes = new ByteList()
  readonly #ends = new Growing((length) => new Uint32Array(length), 512)
  #scratch = Buffer.allocUnsafe(256)

  get size(): number {
    return this.#ends.length
  }

  /** Returns the number of a term, which is new if it equals the size before. */
  of(term: string): number {
    if (term.length * 3 > this.#scratch.length) this.#scratch = Buffer.alloc(term.length * 6)
    const bytes = this.#scratch
    const length = bytes.write(term)
    let hash = HASH_START
    for (let at = 0; at < length; at += 1) hash = hashByte(hash, bytes[at] as number)
    return this.ofBytes(bytes, 0, length, hash)
  }

  ofBytes(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    // The lowest bits of the hash depend on few bits of the bytes.
    let slot = (hash ^ (hash >>> 15)) & mask
    for (;;) {
      const number = (slots[slot] as number) - 1
      if (number === -1) break
      if (this.#hashes.at(number) === hash >>> 0 && this.#isTerm(number, bytes, from, to)) {
        return number
      }
      slot = (slot + 1) & mask
    }
    slots[slot] = this.size + 1
    this.#hashes.push(hash)
    this.#bytes.addBytes(bytes.subarray(from, to))
    this.#ends.push(this.#bytes.length)
    if (this.size * 2 > slots.length) this.#grow()
    return this.size - 1
  }

  #isTerm(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#startOf(number)
    if (this.#ends.at(number) - start !== to - from) return false
    for (let at = from; at < to; at += 1) {
      if (bytes[at] !== this.#bytes.at(start + at - from)) return false
    }
    return true
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : this.#ends.at(number - 1)
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 4)
    const mask = slots.length - 1
    for (let number = 0; number < this.size; number += 1) {
      const hash = this.#hashes.at(number)
      let slot = (hash ^ (hash >>> 15)) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = number + 1
    }
    this.#slots = slots
  }

  textOf(number: number): string {
    const { buffer, byteOffset } = this.#bytes.bytes
    const start = this.#startOf(number)
    return Buffer.from(buffer, byteOffset + start, this.#ends.at(number) - start).toString()
  }
}
