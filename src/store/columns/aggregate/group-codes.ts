/** Coders give each selected row of a chunk the codes of its keys. */
import { type Bits, hasBit } from '../arrays/bits.ts'
import type { CodeColumn, ListColumn, NumberColumn } from '../segment/column.ts'
import { isWhole, type Selection, selectDoubles, selectWholes } from '../segment/read-chunk.ts'
import { NumberTable } from './number-table.ts'

export type Coder =
  /**
   * Writes one code for each selected row; -1 for none. Returns the bits of all codes: no code is
   * larger, and it is negative if a row has none.
   */
  | { readonly kind: 'one'; readonly read: (selection: Selection, codes: Int32Array) => number }
  /** Returns the codes of a row. */
  | { readonly kind: 'many'; readonly codesOf: (position: number) => number | readonly number[] }

/** Gives texts the codes that a list has for those of the column. */
export function textCoder(
  { codes, dictionary }: CodeColumn,
  byCode: Int32Array,
): Coder & { kind: 'one' } {
  const isSame = areSame(byCode)
  return {
    kind: 'one',
    read(selection, out) {
      const chunk = selectWholes(codes, selection)
      if (!isSame) return lookUp(chunk, selection.count, byCode, out)
      out.set(chunk.subarray(0, selection.count))
      return dictionary.size
    },
  }
}

// Loops over rows are functions of their own, which the compiler optimizes after a few chunks.

function areSame(byCode: Int32Array): boolean {
  for (let code = 0; code < byCode.length; code += 1) if (byCode[code] !== code) return false
  return true
}

function lookUp(chunk: Int32Array, count: number, byCode: Int32Array, out: Int32Array): number {
  let bits = 0
  for (let at = 0; at < count; at += 1) {
    const code = byCode[chunk[at] as number] as number
    out[at] = code
    bits |= code
  }
  return bits
}

/** Gives numbers codes: those of a window by their distance, all others by a table. */
export class NumberCodes {
  readonly #window: number
  #first: number | undefined
  readonly #others = new NumberTable()

  constructor(window: number) {
    this.#window = window
  }

  /** True before the first segment. */
  get isUnused(): boolean {
    return this.#first === undefined && this.#others.size === 0
  }

  /** The window starts at the smallest number of the first segment, or at 0 if that has no distance. */
  startAt(first: number): void {
    this.#first ??= Number.isFinite(first) ? Math.floor(first) : 0
  }

  get first(): number {
    return this.#first ?? 0
  }

  codeOf(number: number): number {
    const distance = number - this.first
    // The distance of a tiny fraction would be rounded to that of a whole number.
    if (distance >= 0 && distance < this.#window && Number.isInteger(number)) return distance
    return this.#window + this.#others.idOf(number)
  }

  numberOf(code: number): number {
    return code < this.#window ? this.first + code : this.#others.valueOf(code - this.#window)
  }

  /** True if all numbers of a range are in the window. */
  hasAll({ isWhole: areWhole, min, max }: NumberColumn['range']): boolean {
    return areWhole && min >= this.first && max - this.first < this.#window
  }
}

export interface NumberKey {
  readonly codes: NumberCodes
  /** Undefined for the number itself; a key of NaN is none. */
  readonly toKey: ((number: number) => number) | undefined
  /** The same by steps, which columns with few of them look up. */
  readonly steps?: Steps | undefined
  /** The code of rows without a value. */
  readonly absent: number
}

/** Keys that whole numbers have in common: those with equal `floor((number + offset) / width)`. */
export interface Steps {
  readonly offset: number
  readonly width: number
}

export function numberCoder(column: NumberColumn, key: NumberKey): Coder & { kind: 'one' } {
  const { present } = column
  const read = numberReader(column, key)
  return {
    kind: 'one',
    read(selection, out) {
      const bits = read(selection, out)
      return present === undefined ? bits : setAbsent(present, selection, key.absent, out)
    },
  }
}

/** Replaces the codes of absent values, and returns the bits of all codes. */
function setAbsent(
  present: Bits,
  { from, places, count }: Selection,
  absent: number,
  out: Int32Array,
): number {
  let bits = 0
  for (let at = 0; at < count; at += 1) {
    if (!hasBit(present, from + (places[at] as number))) out[at] = absent
    bits |= out[at] as number
  }
  return bits
}

type ReadCodes = (selection: Selection, out: Int32Array) => number

/** Returns how the codes of numbers are read, whether or not a row has one. */
function numberReader(column: NumberColumn, { codes, toKey, steps }: NumberKey): ReadCodes {
  const { values, range } = column
  if (toKey === undefined && isWhole(column) && codes.hasAll(range)) {
    return (selection, out) =>
      subtractFirst(selectWholes(values, selection), selection.count, codes.first, out)
  }
  const table = toKey && steps && stepTable(range, steps, (number) => codes.codeOf(toKey(number)))
  if (table !== undefined) {
    return (selection, out) =>
      lookUpSteps(selectDoubles(values, selection), selection.count, table, out)
  }
  return (selection, out) => {
    const chunk = selectDoubles(values, selection)
    return findCodes(chunk, selection.count, codes, toKey ?? itself, out)
  }
}

function itself(number: number): number {
  return number
}

function subtractFirst(chunk: Int32Array, count: number, first: number, out: Int32Array): number {
  let bits = 0
  for (let at = 0; at < count; at += 1) {
    const code = (chunk[at] as number) - first
    out[at] = code
    bits |= code
  }
  return bits
}

/** The codes of all steps of a column, from the first one on. */
interface StepTable extends Steps {
  readonly first: number
  readonly codes: Int32Array
}

/** Columns with more steps compute the key of each row. */
const MAX_STEPS = 2 ** 16

/** Returns the codes of all steps of a column; undefined if there are too many. */
function stepTable(
  { min, max }: NumberColumn['range'],
  steps: Steps,
  codeOf: (number: number) => number,
): StepTable | undefined {
  // A table of whole numbers needs no division.
  const { offset, width } = max - min < MAX_STEPS - 1 ? { offset: 0, width: 1 } : steps
  const [low, high] = [Math.floor(min) + offset, Math.floor(max) + offset]
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high)) return undefined
  const first = Math.floor(low / width)
  const length = Math.floor(high / width) - first + 1
  if (length > MAX_STEPS) return undefined
  const codes = Int32Array.from({ length }, (_, step) =>
    codeOf(Math.min(Math.max((first + step) * width - offset, min), max)),
  )
  return { offset, width, first, codes }
}

/** NaN has no step. */
function lookUpSteps(
  chunk: Float64Array,
  count: number,
  { offset, width, first, codes }: StepTable,
  out: Int32Array,
): number {
  let bits = 0
  for (let at = 0; at < count; at += 1) {
    const number = Math.floor(chunk[at] as number)
    const step = width === 1 ? number : Math.floor((number + offset) / width)
    const code = Number.isNaN(step) ? -1 : (codes[(step - first) | 0] as number)
    out[at] = code
    bits |= code
  }
  return bits
}

function findCodes(
  chunk: Float64Array,
  count: number,
  codes: NumberCodes,
  toKey: (number: number) => number,
  out: Int32Array,
): number {
  let bits = 0
  for (let at = 0; at < count; at += 1) {
    const key = toKey(chunk[at] as number)
    // NaN is a value, but not a key.
    const code = Number.isNaN(key) && toKey !== itself ? -1 : codes.codeOf(key)
    out[at] = code
    bits |= code
  }
  return bits
}

/** Gives rows the code of the part that their value is in: after all of some cuts, ascending. */
export function cutCoder(
  column: NumberColumn | CodeColumn,
  cuts: Float64Array,
  codes: Int32Array,
): Coder & { kind: 'one' } {
  const isNumbers = column.kind === 'numbers'
  const values = isNumbers ? column.values : column.codes
  const present = isNumbers ? column.present : undefined
  return {
    kind: 'one',
    read(selection, out) {
      const chunk = selectDoubles(values, selection)
      const bits = cutRows(chunk, selection.count, cuts, codes, out)
      return present === undefined ? bits : setAbsent(present, selection, -1, out)
    },
  }
}

function cutRows(
  chunk: Float64Array,
  count: number,
  cuts: Float64Array,
  codes: Int32Array,
  out: Int32Array,
): number {
  let bits = 0
  for (let at = 0; at < count; at += 1) {
    const number = chunk[at] as number
    let from = 0
    let to = cuts.length
    while (from < to) {
      const middle = (from + to) >>> 1
      // NaN is larger than every number.
      if (number < (cuts[middle] as number)) to = middle
      else from = middle + 1
    }
    const code = codes[from] as number
    out[at] = code
    bits |= code
  }
  return bits
}

const NO_GAPS = new Int32Array(0)

/** Each distinct element of a list has a code. */
export function listCoder({ starts }: ListColumn, elements: Coder): Coder {
  if (elements.kind === 'many') throw new Error('lists of lists have no codes')
  const places = new Int32Array(1)
  const out = new Int32Array(1)
  return {
    kind: 'many',
    codesOf(position) {
      const codes = new Set<number>()
      for (let at = starts[position] as number; at < (starts[position + 1] as number); at += 1) {
        elements.read({ from: at, to: at + 1, places, count: 1, gaps: NO_GAPS }, out)
        codes.add(out[0] as number)
      }
      return [...codes]
    },
  }
}
