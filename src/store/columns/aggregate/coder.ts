/** Coders give each selected row of a chunk the codes of its keys. */
import { hasBit } from '../image/bits.ts'
import type { CodeColumn, ListColumn, NumberColumn } from '../segment/column.ts'
import { doubleChunk, isWhole, readDoubles, readWholes, wholeChunk } from '../segment/read-chunk.ts'
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
  /** Writes one code for each selected row; -1 for none. */
  | { readonly kind: 'one'; readonly read: (selection: Selection, codes: Int32Array) => void }
  /** Returns the codes of a row. */
  | { readonly kind: 'many'; readonly codesOf: (position: number) => number | readonly number[] }

export function textCoder({ codes }: CodeColumn, byCode: Int32Array): Coder & { kind: 'one' } {
  const chunk = wholeChunk()
  return {
    kind: 'one',
    read({ from, to, places, count }, out) {
      readWholes(codes, from, to, chunk)
      for (let at = 0; at < count; at += 1) {
        out[at] = byCode[chunk[places[at] as number] as number] as number
      }
    },
  }
}

/** Gives numbers codes: those of a window by their distance, all others by a table. */
export class NumberCodes {
  readonly window: number
  #first: number | undefined
  readonly #others = new NumberTable()

  constructor(window: number) {
    this.window = window
  }

  /** True before the first segment. */
  get isUnused(): boolean {
    return this.#first === undefined && this.#others.size === 0
  }

  /** Codes are below this. */
  get size(): number {
    return this.window + this.#others.size
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
    if (distance >= 0 && distance < this.window && Number.isInteger(distance)) return distance
    return this.window + this.#others.idOf(number)
  }

  numberOf(code: number): number {
    return code < this.window ? this.first + code : this.#others.valueOf(code - this.window)
  }

  /** True if all numbers of a range are in the window. */
  hasAll({ isWhole: areWhole, min, max }: NumberColumn['range']): boolean {
    return areWhole && min >= this.first && max - this.first < this.window
  }
}

export interface NumberKey {
  readonly codes: NumberCodes
  /** Undefined for the number itself; a key of NaN is none. */
  readonly toKey: ((number: number) => number) | undefined
  /** The code of rows without a value. */
  readonly absent: number
}

export function numberCoder(
  column: NumberColumn,
  { codes, toKey, absent }: NumberKey,
): Coder & { kind: 'one' } {
  const { values, present, range } = column
  const isPlain = toKey === undefined && isWhole(column) && codes.hasAll(range)
  const wholes = isPlain ? wholeChunk() : new Int32Array()
  const doubles = isPlain ? new Float64Array() : doubleChunk()
  return {
    kind: 'one',
    read({ from, to, places, count }, out) {
      if (isPlain) {
        const { first } = codes
        readWholes(values, from, to, wholes)
        for (let at = 0; at < count; at += 1) {
          out[at] = (wholes[places[at] as number] as number) - first
        }
      } else {
        readDoubles(values, from, to, doubles)
        for (let at = 0; at < count; at += 1) {
          const number = doubles[places[at] as number] as number
          if (toKey === undefined) out[at] = codes.codeOf(number)
          else {
            const key = toKey(number)
            out[at] = Number.isNaN(key) ? -1 : codes.codeOf(key)
          }
        }
      }
      if (present === undefined) return
      for (let at = 0; at < count; at += 1) {
        if (!hasBit(present, from + (places[at] as number))) out[at] = absent
      }
    },
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
