/** Counts distinct numbers. NaN equals itself, and both zeros are equal. */
import { groupValues } from './kept-values.ts'
import { hashOf } from './number-table.ts'

/** The hash table of a part with this many numbers fits into the cache of a core. */
const PART = 2 ** 13

/** Numbers with the same hash are in the same part, so that each part is counted by itself. */
export function countDistinct(numbers: Float64Array): number {
  const bits = Math.max(0, Math.ceil(Math.log2(numbers.length / PART)))
  if (bits === 0) return countPart(numbers)
  const shift = 32 - bits
  const parts = new Int32Array(numbers.length)
  for (let at = 0; at < numbers.length; at += 1) parts[at] = hashOf(numbers[at] as number) >>> shift
  const ofPart = groupValues(numbers, parts, 2 ** bits)
  let count = 0
  for (let part = 0; part < 2 ** bits; part += 1) count += countPart(ofPart(part))
  return count
}

function countPart(numbers: Float64Array): number {
  if (numbers.length < 2) return numbers.length
  const table = new Float64Array(2 ** Math.ceil(Math.log2(numbers.length * 2)))
  // NaN is a free place.
  table.fill(Number.NaN)
  const mask = table.length - 1
  let count = 0
  let nans = 0
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] as number
    if (Number.isNaN(number)) {
      nans = 1
      continue
    }
    let slot = hashOf(number) & mask
    let known = table[slot] as number
    while (known !== number && !Number.isNaN(known)) {
      slot = (slot + 1) & mask
      known = table[slot] as number
    }
    if (known === number) continue
    table[slot] = number
    count += 1
  }
  return count + nans
}
