/** Counts distinct numbers. NaN equals itself, and both zeros are equal. */
import { hashOf } from './number-table.ts'

/** The hash table of a part with this many numbers fits into the cache of a core. */
const PART = 2 ** 13

/** Numbers with the same hash are in the same part, so that each part is counted by itself. */
export function countDistinct(numbers: Float64Array): number {
  const bits = Math.max(0, Math.ceil(Math.log2(numbers.length / PART)))
  if (bits === 0) return countPart(numbers)
  const shift = 32 - bits
  const starts = startsOf(numbers, shift, 2 ** bits)
  const parted = partNumbers(numbers, shift, starts)
  let count = 0
  for (let part = 0; part < 2 ** bits; part += 1) {
    count += countPart(parted.subarray(starts[part], starts[part + 1]))
  }
  return count
}

function startsOf(numbers: Float64Array, shift: number, parts: number): Int32Array {
  const starts = new Int32Array(parts + 1)
  for (let at = 0; at < numbers.length; at += 1) {
    const next = (hashOf(numbers[at] as number) >>> shift) + 1
    starts[next] = (starts[next] as number) + 1
  }
  for (let part = 0; part < parts; part += 1) {
    starts[part + 1] = (starts[part + 1] as number) + (starts[part] as number)
  }
  return starts
}

function partNumbers(numbers: Float64Array, shift: number, starts: Int32Array): Float64Array {
  const next = starts.slice()
  const parted = new Float64Array(numbers.length)
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] as number
    const part = hashOf(number) >>> shift
    const place = next[part] as number
    parted[place] = number
    next[part] = place + 1
  }
  return parted
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
