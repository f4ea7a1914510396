/** Filters: which positions of a segment satisfy a condition. */
import { type Bits, CHUNK, invertBits } from '../arrays/bits.ts'

const CHUNK_WORDS = CHUNK >>> 5

/**
 * Sets the bits of the positions from `from` to `to` that match, and clears the others. The first
 * position is a multiple of 32 and has the first bit; bits after the last one are undefined.
 */
export type Filter = (from: number, to: number, bits: Bits) => void

/** A test of one position. */
export type PositionTest = (position: number) => boolean

export function wordsOf(from: number, to: number): number {
  return (to - from + 31) >>> 5
}

export const NOTHING: Filter = (from, to, bits) => {
  bits.fill(0, 0, wordsOf(from, to))
}

export const EVERYTHING: Filter = (from, to, bits) => {
  bits.fill(0xffff_ffff, 0, wordsOf(from, to))
}

/** Positions that are known. */
export function fromBits(known: Bits): Filter {
  return (from, to, bits) => {
    bits.set(known.subarray(from >>> 5, (to + 31) >>> 5))
  }
}

export function not(filter: Filter): Filter {
  return (from, to, bits) => {
    filter(from, to, bits)
    invertBits(bits, wordsOf(from, to))
  }
}

export function and(filters: readonly Filter[]): Filter {
  const [first = EVERYTHING, ...others] = filters
  if (others.length === 0) return first
  const more = new Uint32Array(CHUNK_WORDS)
  return (from, to, bits) => {
    const words = wordsOf(from, to)
    first(from, to, bits)
    for (const other of others) {
      let hasAny = 0
      for (let word = 0; word < words; word += 1) hasAny |= bits[word] as number
      if (hasAny === 0) return
      other(from, to, more)
      for (let word = 0; word < words; word += 1) {
        bits[word] = (bits[word] as number) & (more[word] as number)
      }
    }
  }
}

export function or(filters: readonly Filter[]): Filter {
  const [first = NOTHING, ...others] = filters
  if (others.length === 0) return first
  const more = new Uint32Array(CHUNK_WORDS)
  return (from, to, bits) => {
    const words = wordsOf(from, to)
    first(from, to, bits)
    for (const other of others) {
      other(from, to, more)
      for (let word = 0; word < words; word += 1) {
        bits[word] = (bits[word] as number) | (more[word] as number)
      }
    }
  }
}

/** Tests every position by itself. */
export function testEach(test: PositionTest): Filter {
  return testAmong(EVERYTHING, test)
}

/** Tests every position that a filter has found. */
export function testAmong(filter: Filter, test: PositionTest): Filter {
  return (from, to, bits) => {
    filter(from, to, bits)
    let word = 0
    for (let start = from; start < to; start += 32, word += 1) {
      const among = bits[word] as number
      if (among === 0) continue
      const end = Math.min(start + 32, to)
      let found = 0
      for (let position = start; position < end; position += 1) {
        const bit = 1 << (position & 31)
        if ((among & bit) !== 0 && test(position)) found |= bit
      }
      bits[word] = found
    }
  }
}
