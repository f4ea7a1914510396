/** Coders give each selected row of a chunk the codes of its keys. */
import { type Bits, hasBit } from '../image/bits.ts'
import type { CodeColumn, ListColumn, NumberColumn } from '../segment/column.ts'
import { isWhole, readDoubles, readWholes } from '../segment/read-chunk.ts'
import { NumberTable } from './number-table.ts'

/** The rows of a chunk that a query selects. */
export interface Selection {
  /** The first position of the chunk, and the one after the last. */
  readonly from: number
  readonly to: number
  /** The selected positions, counted from the first one of the chunk. */
  readonly places: Int32Array
  readonly count: number
}

export type Coder =
  /** Writes one code for each selected row; -1 for none, of which there are none if it is true. */
  | { readonly kind: 'one'; readonly read: (selection: Selection, codes: Int32Array) => boolean }
  /** Returns the codes of a row. */
  | { readonly kind: 'many'; readonly codesOf: (position: number) => number | readonly number[] }

export function textCoder({ codes }: CodeColumn, byCode: Int32Array): Coder & { kind: 'one' } {
  const isComplete = !byCode.includes(-1)
  return {
    kind: 'one',
    read(selection, out) {
      const chunk = readWholes(codes, selection.from, selection.to)
      const hasNone = lookUp(chunk, selection, byCode, out)
      return isComplete || !hasNone
    },
  }
}

/** Returns whether a row has the code -1. */
function lookUp(
  chunk: Int32Array,
  { places, count }: Selection,
  byCode: Int32Array,
  out: Int32Array,
): boolean {
  let signs = 0
  for (let at = 0; at < count; at += 1) {
    const code = byCode[chunk[places[at] as number] as number] as number
    out[at] = code
    signs |= code
  }
  return signs < 0
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

  /** The window starts at the smallest number of the first segment. */
  startAt(first: number): void {
    if (this.#first === undefined && Number.isFinite(first)) this.#first = Math.floor(first)
  }

  get first(): number {
    return this.#first ?? 0
  }

  codeOf(number: number): number {
    const distance = number - this.first
    if (distance >= 0 && distance < this.#window && Number.isInteger(distance)) return distance
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
      const isComplete = read(selection, out)
      if (present === undefined) return isComplete
      setAbsent(present, selection, key.absent, out)
      return false
    },
  }
}

function setAbsent(
  present: Bits,
  { from, places, count }: Selection,
  absent: number,
  out: Int32Array,
): void {
  for (let at = 0; at < count; at += 1) {
    if (!hasBit(present, from + (places[at] as number))) out[at] = absent
  }
}

/** Returns how the codes of numbers are read, whether or not a row has one. */
function numberReader(
  column: NumberColumn,
  { codes, toKey, steps }: NumberKey,
): (selection: Selection, out: Int32Array) => boolean {
  const { values, range } = column
  if (toKey === undefined && isWhole(column) && codes.hasAll(range)) {
    return (selection, out) => {
      const chunk = readWholes(values, selection.from, selection.to)
      subtractFirst(chunk, selection, codes.first, out)
      return true
    }
  }
  const table = toKey && steps && stepTable(range, steps, (number) => codes.codeOf(toKey(number)))
  if (steps !== undefined && table !== undefined) {
    return (selection, out) => {
      const chunk = readDoubles(values, selection.from, selection.to)
      return lookUpSteps(chunk, selection, steps, table, out)
    }
  }
  return (selection, out) => {
    const chunk = readDoubles(values, selection.from, selection.to)
    if (toKey === undefined) {
      findCodes(chunk, selection, codes, out)
      return true
    }
    findKeyCodes(chunk, selection, codes, toKey, out)
    return false
  }
}

function subtractFirst(
  chunk: Int32Array,
  { places, count }: Selection,
  first: number,
  out: Int32Array,
): void {
  for (let at = 0; at < count; at += 1) out[at] = (chunk[places[at] as number] as number) - first
}

interface StepTable {
  readonly first: number
  readonly codes: Int32Array
}

/** Columns with more steps compute the key of each row. */
const MAX_STEPS = 2 ** 16

/** Returns the codes of all steps of a column; undefined if there are too many. */
function stepTable(
  { min, max }: NumberColumn['range'],
  { offset, width }: Steps,
  codeOf: (number: number) => number,
): StepTable | undefined {
  const [low, high] = [Math.floor(min) + offset, Math.floor(max) + offset]
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high)) return undefined
  const first = Math.floor(low / width)
  const length = Math.floor(high / width) - first + 1
  if (length > MAX_STEPS) return undefined
  const codes = Int32Array.from({ length }, (_, step) =>
    codeOf(Math.min(Math.max((first + step) * width - offset, min), max)),
  )
  return { first, codes }
}

/** Returns false if a row may have none: NaN has no step. */
function lookUpSteps(
  chunk: Float64Array,
  { places, count }: Selection,
  { offset, width }: Steps,
  { first, codes }: StepTable,
  out: Int32Array,
): boolean {
  let hasNaN = false
  for (let at = 0; at < count; at += 1) {
    const number = Math.floor(chunk[places[at] as number] as number)
    const step = Math.floor((number + offset) / width) - first
    if (Number.isNaN(step)) {
      hasNaN = true
      out[at] = -1
    } else out[at] = codes[step] as number
  }
  return !hasNaN
}

function findCodes(
  chunk: Float64Array,
  { places, count }: Selection,
  codes: NumberCodes,
  out: Int32Array,
): void {
  for (let at = 0; at < count; at += 1)
    out[at] = codes.codeOf(chunk[places[at] as number] as number)
}

function findKeyCodes(
  chunk: Float64Array,
  { places, count }: Selection,
  codes: NumberCodes,
  toKey: (number: number) => number,
  out: Int32Array,
): void {
  for (let at = 0; at < count; at += 1) {
    const key = toKey(chunk[places[at] as number] as number)
    out[at] = Number.isNaN(key) ? -1 : codes.codeOf(key)
  }
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
      const chunk = readDoubles(values, selection.from, selection.to)
      cutRows(chunk, selection, cuts, codes, out)
      if (present !== undefined) setAbsent(present, selection, -1, out)
      return false
    },
  }
}

function cutRows(
  chunk: Float64Array,
  { places, count }: Selection,
  cuts: Float64Array,
  codes: Int32Array,
  out: Int32Array,
): void {
  for (let at = 0; at < count; at += 1) {
    const number = chunk[places[at] as number] as number
    let from = 0
    let to = cuts.length
    while (from < to) {
      const middle = (from + to) >>> 1
      // NaN is larger than every number.
      if (number < (cuts[middle] as number)) to = middle
      else from = middle + 1
    }
    out[at] = codes[from] as number
  }
}

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
        elements.read({ from: at, to: at + 1, places, count: 1 }, out)
        codes.add(out[0] as number)
      }
      return [...codes]
    },
  }
}
