/**
 * Sets of positions as bits. Queries are evaluated in chunks of positions: a chunk of every array
 * fits into the cache of a core, and between two chunks a query can be stopped.
 */

/** The number of positions in a chunk; a multiple of 32. */
export const CHUNK = 1 << 14

/** Bit `p & 31` of word `p >>> 5` stands for position p. */
export type Bits = Uint32Array

export function bitsFor(positions: number): Bits {
  return new Uint32Array((positions + 31) >>> 5)
}

export function hasBit(bits: Bits, position: number): boolean {
  return (((bits[position >>> 5] as number) >>> (position & 31)) & 1) === 1
}

export function setBit(bits: Bits, position: number): void {
  const word = position >>> 5
  bits[word] = (bits[word] as number) | (1 << (position & 31))
}

export function clearBit(bits: Bits, position: number): void {
  const word = position >>> 5
  bits[word] = (bits[word] as number) & ~(1 << (position & 31))
}

/** Sets the first bits, and clears those of the last word that follow. */
export function fillBits(bits: Bits, positions: number): void {
  bits.fill(0xffff_ffff, 0, positions >>> 5)
  if ((positions & 31) !== 0) bits[positions >>> 5] = 2 ** (positions & 31) - 1
}

export function invertBits(bits: Bits, words: number): void {
  for (let word = 0; word < words; word += 1) bits[word] = ~(bits[word] as number)
}

/** Clears the bits that others do not have. */
export function andBits(bits: Bits, others: Bits, words: number): void {
  for (let word = 0; word < words; word += 1) {
    bits[word] = (bits[word] as number) & (others[word] as number)
  }
}

export function countBits(bits: Bits, words: number): number {
  let count = 0
  for (let word = 0; word < words; word += 1) count += countOnes(bits[word] as number)
  return count
}

function countOnes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555)
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

/**
 * Writes the positions of the bits in order, each plus an offset, and returns their number. The
 * output has room for all of them.
 */
export function listBits(bits: Bits, words: number, offset: number, out: Int32Array): number {
  let count = 0
  for (let word = 0; word < words; word += 1) {
    let rest = bits[word] as number
    const start = offset + (word << 5)
    if (rest === 0xffff_ffff) {
      for (let bit = 0; bit < 32; bit += 1) out[count + bit] = start + bit
      count += 32
      continue
    }
    while (rest !== 0) {
      const lowest = rest & -rest
      out[count] = start + 31 - Math.clz32(lowest)
      count += 1
      rest ^= lowest
    }
  }
  return count
}
