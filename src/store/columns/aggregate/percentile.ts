/** Percentiles of groups: all values are kept, and one of them is selected. */

import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { hasBit } from '../image/bits.ts'
import type { Column } from '../segment/column.ts'
import { readDoubles } from '../segment/read-chunk.ts'
import { fromNumber, fromText } from '../segment/stored-form.ts'
import { type Accumulator, type AddRows, type GroupedRows, larger } from './accumulator.ts'
import { compareNumbers } from './sums.ts'
import { TextNumbers } from './text-numbers.ts'

/** Values are numbers, or the numbers of decimals, which are texts. */
export class Percentiles implements Accumulator {
  readonly #type: ScalarType
  readonly #fraction: number
  readonly #json: (value: ColumnValue) => string
  readonly #texts = new TextNumbers()
  #values = new Float64Array(1024)
  #groups = new Int32Array(1024)
  #count = 0
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
    if (column.kind === 'codes' && (this.#texts.size > 0 || this.#count === 0)) {
      const { codes, dictionary } = column
      const byCode = this.#texts.ofCodes(dictionary)
      return (rows) => {
        this.#makeRoom(rows.count)
        const chunk = readDoubles(codes, rows.from, rows.to)
        const from = this.#count
        const isPresent = (place: number) => chunk[place] !== 0
        this.#count = keepValues(chunk, isPresent, rows, this.#kept())
        replaceCodes(this.#values, from, this.#count, byCode)
      }
    }
    if (column.kind !== 'numbers' || this.#texts.size > 0) return undefined
    const { values, present } = column
    return (rows) => {
      this.#makeRoom(rows.count)
      const chunk = readDoubles(values, rows.from, rows.to)
      const isPresent = present && ((place: number) => hasBit(present, rows.from + place))
      this.#count = keepValues(chunk, isPresent, rows, this.#kept())
    }
  }

  #makeRoom(count: number): void {
    this.#values = larger(this.#values, this.#count + count)
    this.#groups = larger(this.#groups, this.#count + count)
  }

  #kept(): Kept {
    return { values: this.#values, groups: this.#groups, count: this.#count }
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

  /** Puts the values of each group together, and selects one of each. */
  #select(): (number | undefined)[] {
    const ranks = this.#texts.size > 0 ? this.#texts.ranks() : undefined
    const numbers = new Map(ranks && Array.from(ranks, (rank, number) => [rank, number] as const))
    if (ranks !== undefined) replaceNumbers(this.#values, this.#count, ranks)
    const { starts, values: grouped } = groupValues(this.#kept(), this.#groupCount)
    return Array.from({ length: this.#groupCount }, (_, group) => {
      const values = grouped.subarray(starts[group], starts[group + 1])
      if (values.length === 0) return undefined
      const found = valueAt(values, placeOf(this.#fraction, values.length))
      return ranks === undefined ? found : numbers.get(found)
    })
  }
}

/** The values of all groups, and the group of each. */
interface Kept {
  readonly values: Float64Array
  readonly groups: Int32Array
  readonly count: number
}

/** Adds the values of rows, and returns how many there are then. */
function keepValues(
  chunk: Float64Array,
  isPresent: ((place: number) => boolean) | undefined,
  { places, groups, count }: GroupedRows,
  kept: Kept,
): number {
  const { values, groups: keptGroups } = kept
  let end = kept.count
  for (let at = 0; at < count; at += 1) {
    const place = places[at] as number
    if (isPresent !== undefined && !isPresent(place)) continue
    values[end] = chunk[place] as number
    keptGroups[end] = groups[at] as number
    end += 1
  }
  return end
}

function replaceCodes(values: Float64Array, from: number, to: number, byCode: Int32Array): void {
  for (let at = from; at < to; at += 1) values[at] = byCode[values[at] as number] as number
}

function replaceNumbers(values: Float64Array, count: number, ranks: Float64Array): void {
  for (let at = 0; at < count; at += 1) values[at] = ranks[values[at] as number] as number
}

/** Moves the values of each group together: from `starts[group]` to `starts[group + 1]`. */
function groupValues(
  { values, groups, count }: Kept,
  groupCount: number,
): { starts: Int32Array; values: Float64Array } {
  const starts = new Int32Array(groupCount + 1)
  if (groupCount === 1) {
    starts[1] = count
    return { starts, values: values.subarray(0, count) }
  }
  for (let at = 0; at < count; at += 1) {
    const group = (groups[at] as number) + 1
    starts[group] = (starts[group] as number) + 1
  }
  for (let group = 0; group < groupCount; group += 1) {
    starts[group + 1] = (starts[group + 1] as number) + (starts[group] as number)
  }
  const next = starts.slice()
  const grouped = new Float64Array(count)
  for (let at = 0; at < count; at += 1) {
    const group = groups[at] as number
    grouped[next[group] as number] = values[at] as number
    next[group] = (next[group] as number) + 1
  }
  return { starts, values: grouped }
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
function valueAt(values: Float64Array, place: number): number {
  const { numbers, min, max, isWhole } = withoutNaN(values)
  if (place >= numbers) return Number.NaN
  const own = values.subarray(0, numbers)
  // Counting equal values is several times as fast as moving all of them.
  const canCount = isWhole && max - min < Math.min(MAX_COUNTED, numbers * 4)
  return canCount ? countUpTo(own, place, min, max) : select(own, place)
}

const MAX_COUNTED = 2 ** 22

/** Moves NaN to the end, and returns what all others are. Zeros with a sign are not counted. */
function withoutNaN(values: Float64Array) {
  let numbers = 0
  let min = Infinity
  let max = -Infinity
  let isWhole = true
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number
    if (Number.isNaN(value)) continue
    values[numbers] = value
    numbers += 1
    if (value < min) min = value
    if (value > max) max = value
    if (Math.floor(value) !== value || (value === 0 && 1 / value < 0)) isWhole = false
  }
  return { numbers, min, max, isWhole }
}

function countUpTo(values: Float64Array, place: number, min: number, max: number): number {
  const counts = new Uint32Array(max - min + 1)
  countValues(values, min, counts)
  let before = 0
  let at = 0
  while (before + (counts[at] as number) <= place) {
    before += counts[at] as number
    at += 1
  }
  return min + at
}

function countValues(values: Float64Array, min: number, counts: Uint32Array): void {
  for (let at = 0; at < values.length; at += 1) {
    const distance = (values[at] as number) - min
    counts[distance] = (counts[distance] as number) + 1
  }
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
