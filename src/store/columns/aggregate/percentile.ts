/** Percentiles of groups: all values are kept, and one of them is selected. */

import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { hasBit } from '../image/bits.ts'
import type { Column } from '../segment/column.ts'
import { doubleChunk, readDoubles } from '../segment/read-chunk.ts'
import { fromNumber, fromText } from '../segment/stored-form.ts'
import { type Accumulator, type AddRows, larger } from './accumulator.ts'
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
      return ({ from, places, groups, count }) => {
        this.#makeRoom(count)
        for (let at = 0; at < count; at += 1) {
          const number = byCode[codes[from + (places[at] as number)] as number] as number
          if (number !== -1) this.#push(number, groups[at] as number)
        }
      }
    }
    if (column.kind !== 'numbers' || this.#texts.size > 0) return undefined
    const { values, present } = column
    const chunk = doubleChunk()
    return ({ from, to, places, groups, count }) => {
      this.#makeRoom(count)
      readDoubles(values, from, to, chunk)
      for (let at = 0; at < count; at += 1) {
        const place = places[at] as number
        if (present !== undefined && !hasBit(present, from + place)) continue
        this.#push(chunk[place] as number, groups[at] as number)
      }
    }
  }

  #makeRoom(count: number): void {
    this.#values = larger(this.#values, this.#count + count)
    this.#groups = larger(this.#groups, this.#count + count)
  }

  #push(value: number, group: number): void {
    this.#values[this.#count] = value
    this.#groups[this.#count] = group
    this.#count += 1
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
    const starts = new Int32Array(this.#groupCount + 1)
    for (let at = 0; at < this.#count; at += 1) {
      const group = (this.#groups[at] as number) + 1
      starts[group] = (starts[group] as number) + 1
    }
    for (let group = 0; group < this.#groupCount; group += 1) {
      starts[group + 1] = (starts[group + 1] as number) + (starts[group] as number)
    }
    const next = starts.slice()
    const grouped = new Float64Array(this.#count)
    const ranks = this.#texts.size > 0 ? this.#texts.ranks() : undefined
    const numbers = new Map(ranks && Array.from(ranks, (rank, number) => [rank, number] as const))
    for (let at = 0; at < this.#count; at += 1) {
      const group = this.#groups[at] as number
      const value = this.#values[at] as number
      grouped[next[group] as number] = ranks === undefined ? value : (ranks[value] as number)
      next[group] = (next[group] as number) + 1
    }
    return Array.from({ length: this.#groupCount }, (_, group) => {
      const values = grouped.subarray(starts[group], starts[group + 1])
      if (values.length === 0) return undefined
      const found = valueAt(values, placeOf(this.#fraction, values.length))
      return ranks === undefined ? found : numbers.get(found)
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
function valueAt(values: Float64Array, place: number): number {
  let numbers = 0
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number
    if (Number.isNaN(value)) continue
    values[numbers] = value
    numbers += 1
  }
  return place < numbers ? select(values.subarray(0, numbers), place) : Number.NaN
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
