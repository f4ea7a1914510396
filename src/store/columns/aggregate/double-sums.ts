/**
 * Exact sums of doubles. The bits of each value are split between bins of 32 bits; the parts in a
 * bin are added as doubles, which hold two million of them without rounding.
 */
import { type Bits, hasBit } from '../arrays/bits.ts'
import type { Column, NumberColumn } from '../segment/column.ts'
import { selectDoubles } from '../segment/read-chunk.ts'
import { type AddRows, type GroupedRows, larger } from './accumulator.ts'
import { divideExactly, sumExactly } from './exact-double.ts'
import { compareNumbers, type ExactSum, ExactSums } from './sums.ts'

const BIN_BITS = 32
/** A double has room for twice as many parts. */
const MAX_PARTS = 2 ** 20
/** The highest bit of values that have bins. A few bins above, no double could split them. */
const MAX_EXPONENT = 850
/** The lowest bit of all doubles. */
const MIN_EXPONENT = -1074
/** Values that are larger than typical ones by up to this many bits are as fast to add. */
const HEADROOM = 12
/** With more sums in bins, further bins are not worth their memory. */
const MAX_SUMS = 2 ** 22

export class DoubleSums extends ExactSums {
  /** The lowest bit of the bin with index 0. Indexes can be negative. */
  #base: number | undefined
  /** One sum for each group. */
  readonly #bins = new Map<number, Float64Array>()
  /** The number of values since the last carry. */
  #added = 0
  /** Sums of values without a bin, in units of the lowest bit of all. */
  readonly #others = new Map<number, bigint>()
  /** The sum of the infinities and NaNs of a group, which outweighs its numbers; 0 for none. */
  #special = new Float64Array(1)
  #groupCount = 1

  override reserve(groups: number): void {
    super.reserve(groups)
    this.#groupCount = Math.max(this.#groupCount, groups)
    this.#special = larger(this.#special, groups)
  }

  columnAdder(column: Column): AddRows | undefined {
    if (column.kind !== 'numbers') return undefined
    const { values, present } = column
    const highest = Math.min(typicalExponent(column) + HEADROOM, MAX_EXPONENT)
    this.#base ??= (highest + 1) % BIN_BITS
    const top = this.#indexOf(highest)
    const addSlowly = (group: number, value: number) => this.#addSlowly(group, value)
    return (rows) => {
      const chunk = selectDoubles(values, rows)
      for (let start = 0; start < rows.count; start += MAX_PARTS) {
        const end = Math.min(start + MAX_PARTS, rows.count)
        if (this.#added + end - start > MAX_PARTS) this.#carry()
        this.#added += end - start
        addDoubles(chunk, present, { ...rows, start, end }, this.#window(top), addSlowly)
      }
    }
  }

  /** Returns the index of the bin that a bit is in. */
  #indexOf(exponent: number): number {
    return Math.floor((exponent - (this.#base ?? 0)) / BIN_BITS)
  }

  /** Returns the lowest bit of a bin. */
  #exponentOf(index: number): number {
    return Math.max((this.#base ?? 0) + BIN_BITS * index, MIN_EXPONENT)
  }

  /** Adding this number to a value, and subtracting it again, rounds to the lowest bit of a bin. */
  #splitterOf(index: number): number {
    const exponent = this.#exponentOf(index)
    return exponent === MIN_EXPONENT ? 0 : 1.5 * 2 ** (exponent + 52)
  }

  #bin(index: number): Float64Array {
    const known = this.#bins.get(index)
    if (known !== undefined && known.length >= this.#groupCount) return known
    const bin = larger(known ?? new Float64Array(1), this.#groupCount)
    this.#bins.set(index, bin)
    return bin
  }

  /** Returns the bins for most values of a column. */
  #window(top: number): Window {
    return {
      absent: this.counts.absent,
      limit: 2 ** this.#exponentOf(top + 1),
      high: this.#bin(top),
      highSplitter: this.#splitterOf(top),
      middle: this.#bin(top - 1),
      middleSplitter: this.#splitterOf(top - 1),
      low: this.#bin(top - 2),
      lowSplitter: this.#splitterOf(top - 2),
    }
  }

  /** Adds a value that is too large for the window of its column, or the bits below the window. */
  #addSlowly(group: number, value: number): void {
    if (!Number.isFinite(value)) {
      this.#special[group] = (this.#special[group] as number) + value
      return
    }
    const exponent = exponentOf(value)
    let rest = value
    for (let index = this.#indexOf(exponent); rest !== 0; index -= 1) {
      const mayAdd = this.#bins.has(index) || this.#bins.size * this.#groupCount < MAX_SUMS
      if (exponent > MAX_EXPONENT || !mayAdd) {
        this.#others.set(group, (this.#others.get(group) ?? 0n) + unitsOf(rest))
        return
      }
      const splitter = this.#splitterOf(index)
      const part = rest + splitter - splitter
      rest -= part
      const bin = this.#bin(index)
      bin[group] = (bin[group] as number) + part
    }
  }

  /** Moves most of each sum to the bin above, so that there is room for more parts. */
  #carry(): void {
    this.#added = 0
    for (const index of [...this.#bins.keys()].sort((a, b) => a - b)) {
      moveUp(this.#bin(index), this.#bin(index + 1), this.#splitterOf(index + 1))
    }
  }

  protected override sumOf(group: number): ExactSum {
    const others = this.#others.get(group)
    const parts = [...this.#bins].flatMap(([index, bin]) => {
      const sum = bin[group] ?? 0
      return sum === 0 ? [] : [{ sum, exponent: this.#exponentOf(index) }]
    })
    const lowest = Math.min(
      others === undefined ? 0 : MIN_EXPONENT,
      ...parts.map(({ exponent }) => exponent),
    )
    let units = others ?? 0n
    for (const { sum, exponent } of parts) {
      units += BigInt(sum / 2 ** exponent) << BigInt(exponent - lowest)
    }
    return { units, per: 1n << BigInt(-lowest) }
  }

  protected override valueOf(group: number): number {
    const special = this.#special[group] as number
    return special === 0 ? (this.#quickValueOf(group) ?? super.valueOf(group)) : special
  }

  /** Returns undefined for the few groups whose value takes integers of any size. */
  #quickValueOf(group: number): number | undefined {
    if (this.#others.has(group)) return undefined
    const sum = sumExactly(this.#bins.values().map((bin) => bin[group] ?? 0))
    return sum && divideExactly(sum, this.divisorOf(group))
  }

  override compare(a: number, b: number): number {
    const [left, right] = [this.#special[a] as number, this.#special[b] as number]
    const difference =
      left === 0 && right === 0
        ? compareNumbers(this.valueOf(a), this.valueOf(b))
        : compareNumbers(left, right)
    // Sums that differ can be nearest to the same double.
    return difference === 0 && left === 0 ? super.compare(a, b) : difference
  }
}

/** Three neighbouring bins, which have room for all bits of most values. */
interface Window extends Record<'absent' | 'high' | 'middle' | 'low', Float64Array> {
  /** Values from here on are too large. */
  readonly limit: number
  readonly highSplitter: number
  readonly middleSplitter: number
  readonly lowSplitter: number
}

function addDoubles(
  chunk: Float64Array,
  present: Bits | undefined,
  { from, places, groups, start, end }: GroupedRows & { start: number; end: number },
  { absent, limit, high, highSplitter, middle, middleSplitter, low, lowSplitter }: Window,
  addSlowly: (group: number, value: number) => void,
): void {
  for (let at = start; at < end; at += 1) {
    const group = groups[at] as number
    if (present !== undefined && !hasBit(present, from + (places[at] as number))) {
      absent[group] = (absent[group] as number) + 1
      continue
    }
    const value = chunk[at] as number
    // Also if it is NaN.
    if (!(Math.abs(value) < limit)) {
      addSlowly(group, value)
      continue
    }
    const highPart = value + highSplitter - highSplitter
    const afterHigh = value - highPart
    const middlePart = afterHigh + middleSplitter - middleSplitter
    const afterMiddle = afterHigh - middlePart
    const lowPart = afterMiddle + lowSplitter - lowSplitter
    high[group] = (high[group] as number) + highPart
    middle[group] = (middle[group] as number) + middlePart
    low[group] = (low[group] as number) + lowPart
    if (lowPart !== afterMiddle) addSlowly(group, afterMiddle - lowPart)
  }
}

function moveUp(bin: Float64Array, above: Float64Array, splitter: number): void {
  for (let group = 0; group < bin.length; group += 1) {
    const sum = bin[group] as number
    const part = sum + splitter - splitter
    bin[group] = sum - part
    above[group] = (above[group] as number) + part
  }
}

const SAMPLES = 32

/** Returns the highest bit of the median of some values. */
function typicalExponent({ values }: NumberColumn): number {
  const step = Math.max(1, Math.floor(values.length / SAMPLES))
  const exponents: number[] = []
  for (let at = 0; at < values.length; at += step) {
    const value = values[at] as number
    if (value !== 0 && Number.isFinite(value)) exponents.push(exponentOf(value))
  }
  return exponents.sort((a, b) => a - b)[exponents.length >>> 1] ?? 0
}

/** Returns the highest bit of a finite number; one more if it is about to change. */
function exponentOf(value: number): number {
  return Math.floor(Math.log2(Math.abs(value)))
}

/** Returns how many times a number contains the lowest bit of all doubles. */
function unitsOf(value: number): bigint {
  const exponent = Math.max(exponentOf(value) - 54, MIN_EXPONENT)
  return BigInt(value / 2 ** exponent) << BigInt(exponent - MIN_EXPONENT)
}
