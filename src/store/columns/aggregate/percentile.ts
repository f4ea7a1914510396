/** Percentiles of groups: all values are kept, and one of them is selected. */

import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { CodeColumn, Column } from '../segment/column.ts'
import { selectDoubles, selectWholes } from '../segment/read-chunk.ts'
import { fromNumber, fromText } from '../segment/stored-form.ts'
import type { Accumulator, AddRows } from './accumulator.ts'
import { KeptValues } from './kept-values.ts'
import { compareNumbers } from './sums.ts'
import { TextNumbers } from './text-numbers.ts'

/** Values are numbers, or the numbers of decimals, which are texts. */
export class Percentiles implements Accumulator {
  readonly #type: ScalarType
  readonly #fraction: number
  readonly #json: (value: ColumnValue) => string
  readonly #texts = new TextNumbers()
  readonly #kept = new KeptValues()
  /** The bounds of all numbers. */
  #min = Infinity
  #max = -Infinity
  #groupCount = 1
  #found: readonly (number | undefined)[] | undefined

  constructor(type: ScalarType, fraction: number, json: (value: ColumnValue) => string) {
    this.#type = type
    this.#fraction = fraction
    this.#json = json
  }

  reserve(groups: number): void {
    this.#groupCount = Math.max(this.#groupCount, groups)
  }

  columnAdder(column: Column): AddRows | undefined {
    if (column.kind === 'codes' && (this.#texts.size > 0 || this.#kept.count === 0)) {
      return this.#textAdder(column)
    }
    if (column.kind !== 'numbers' || this.#texts.size > 0) return undefined
    const { values, present, range } = column
    this.#kept.reserve(values.length)
    this.#min = Math.min(this.#min, range.min)
    this.#max = Math.max(this.#max, range.max)
    return (rows) => this.#kept.add(selectDoubles(values, rows), present, rows)
  }

  #textAdder({ codes, dictionary }: CodeColumn): AddRows {
    const byCode = this.#texts.ofCodes(dictionary)
    return (rows) => {
      const chunk = selectWholes(codes, rows)
      for (let at = 0; at < rows.count; at += 1) {
        const code = byCode[chunk[at] as number] as number
        if (code > 0) this.#kept.addOne(code - 1, rows.groups[at] as number)
      }
    }
  }

  json(group: number): string | undefined {
    const value = this.#selected()[group]
    if (value === undefined) return undefined
    const isText = this.#texts.size > 0
    return this.#json(
      isText ? fromText(this.#type, this.#texts.textOf(value)) : fromNumber(this.#type, value),
    )
  }

  compare(a: number, b: number): number {
    const [left = 0, right = 0] = [this.#selected()[a], this.#selected()[b]]
    const ranks = this.#texts.size > 0 ? this.#texts.ranks() : undefined
    return ranks === undefined
      ? compareNumbers(left, right)
      : (ranks[left] as number) - (ranks[right] as number)
  }

  #selected(): readonly (number | undefined)[] {
    this.#found ??= this.#select()
    return this.#found
  }

  #select(): (number | undefined)[] {
    const ranks = this.#texts.size > 0 ? this.#texts.ranks() : undefined
    const numbers = new Map(ranks && Array.from(ranks, (rank, number) => [rank, number] as const))
    const valuesOf = this.#kept.byGroup(this.#groupCount)
    return Array.from({ length: this.#groupCount }, (_, group) => {
      const values = valuesOf(group)
      if (values.length === 0) return undefined
      const place = placeOf(this.#fraction, values.length)
      if (ranks === undefined) return valueAt(values, place, { min: this.#min, max: this.#max })
      const ranked = values.map((number) => ranks[number] as number)
      return numbers.get(valueAt(ranked, place, rangeOf(ranked)))
    })
  }
}

/** Returns the place of the first value whose share of smaller or equal ones is large enough. */
function placeOf(fraction: number, count: number): number {
  let place = Math.min(Math.max(Math.ceil(fraction * count), 1), count)
  // The share is a rounded quotient, as databases compute it.
  while (place > 1 && (place - 1) / count >= fraction) place -= 1
  while (place < count && place / count < fraction) place += 1
  return place - 1
}

/** Returns the value that sorting would put at a place. NaN is larger than every number. */
function valueAt(values: Float64Array, place: number, range: Range): number {
  let rest = values
  let restPlace = place
  let restRange = range
  while (rest.length > FEW) {
    const buckets = countBuckets(rest, restRange)
    if (buckets === undefined) break
    const { counts, nans } = buckets
    if (restPlace >= rest.length - nans) return Number.NaN
    let before = 0
    let bucket = 0
    while (before + (counts[bucket] as number) <= restPlace) {
      before += counts[bucket] as number
      bucket += 1
    }
    const found = counts[bucket] as number
    // Values that are far from evenly spread are all in a few buckets.
    if (found > rest.length / 2) break
    rest = inBucket(rest, bucket, found, buckets)
    restPlace -= before
    restRange = rangeOf(rest)
  }
  const numbers = moveNumbers(rest)
  return restPlace < numbers ? select(rest.subarray(0, numbers), restPlace) : Number.NaN
}

/** So few values are moved faster than they are counted. */
const FEW = 2048
const BUCKETS = 4096

/** The bounds of values, without NaN. */
interface Range {
  readonly min: number
  readonly max: number
}

/** How many values are in each of several equal parts of their range. */
interface Buckets {
  readonly counts: Uint32Array
  readonly nans: number
  readonly min: number
  /** The number of buckets per unit. */
  readonly scale: number
}

/** Returns undefined if the range of the values cannot be divided. */
function countBuckets(values: Float64Array, { min, max }: Range): Buckets | undefined {
  const scale = (BUCKETS - 1) / (max - min)
  if (!Number.isFinite(scale) || scale === 0) return undefined
  const counts = new Uint32Array(BUCKETS)
  const nans = countEach(values, min, scale, counts)
  return { counts, nans, min, scale }
}

/**
 * Counts the values in each bucket, and returns the number of NaNs. Larger numbers are never in an
 * earlier bucket, because rounding keeps the order.
 */
function countEach(values: Float64Array, min: number, scale: number, counts: Uint32Array): number {
  let nans = 0
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number
    const bucket = ((value - min) * scale) | 0
    counts[bucket] = (counts[bucket] as number) + 1
    nans += Number(Number.isNaN(value))
  }
  // They were counted in the first bucket.
  counts[0] = (counts[0] as number) - nans
  return nans
}

function inBucket(
  values: Float64Array,
  bucket: number,
  count: number,
  { min, scale }: Buckets,
): Float64Array {
  const found = new Float64Array(count)
  let end = 0
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number
    if ((((value - min) * scale) | 0) !== bucket || Number.isNaN(value)) continue
    found[end] = value
    end += 1
  }
  return found
}

function rangeOf(values: Float64Array): Range {
  let min = Infinity
  let max = -Infinity
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number
    if (value < min) min = value
    if (value > max) max = value
  }
  return { min, max }
}

/** Moves NaN to the end, and returns the number of all others. */
function moveNumbers(values: Float64Array): number {
  let numbers = 0
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number
    if (Number.isNaN(value)) continue
    values[numbers] = value
    numbers += 1
  }
  return numbers
}

/** Moves values until the one at a place is the one that sorting would put there (Hoare). */
function select(values: Float64Array, place: number): number {
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const pivot = median(values, low, high)
    let left = low
    let right = high
    while (left <= right) {
      while ((values[left] as number) < pivot) left += 1
      while ((values[right] as number) > pivot) right -= 1
      if (left > right) break
      const swapped = values[left] as number
      values[left] = values[right] as number
      values[right] = swapped
      left += 1
      right -= 1
    }
    if (place <= right) high = right
    else if (place >= left) low = left
    else break
  }
  return values[place] as number
}

function median(values: Float64Array, low: number, high: number): number {
  const [a, b, c] = [values[low], values[(low + high) >>> 1], values[high]] as [
    number,
    number,
    number,
  ]
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
