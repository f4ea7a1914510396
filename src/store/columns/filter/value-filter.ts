/** Filters by the values of a column. */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { Comparison } from '../../../query/query.ts'
import { type Bits, bitsFor, CHUNK, listBits, setBit } from '../arrays/bits.ts'
import type { CodeColumn, Column, ListColumn, NumberColumn } from '../segment/column.ts'
import { isWhole, readDoubles, readWholes } from '../segment/read-chunk.ts'
import { nextAbove, toNumber, toText } from '../segment/stored-form.ts'
import { and, EVERYTHING, type Filter, fromBits, NOTHING, testEach, wordsOf } from './filter.ts'

/** A condition on one value. */
export type ValueCondition =
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly value: ColumnValue }
  | { readonly kind: 'oneOf'; readonly values: readonly ColumnValue[] }
  /** Texts only. */
  | {
      readonly kind: 'test'
      /** The texts before and from the second on need not be tested. */
      readonly from: string
      readonly before: string | undefined
      readonly test: (text: string) => boolean
    }
  /** Texts with these codes, each minus 1. */
  | { readonly kind: 'codes'; readonly codes: Bits }

/** Returns undefined for a column whose values cannot be compared. */
export function valueFilter(column: Column, condition: ValueCondition): Filter | undefined {
  switch (column.kind) {
    case 'numbers':
      return and([numberFilter(column, condition), hasValue(column.present)])
    case 'codes':
      return codeFilter(column, condition)
    case 'list':
      return listFilter(column, condition)
    default:
      return undefined
  }
}

/** Selects the texts with some codes, each minus 1. */
export function codesFilter(column: Column, codes: Bits): Filter {
  const filter = valueFilter(column, { kind: 'codes', codes })
  if (filter === undefined) throw new Error('the column has no codes')
  return filter
}

/** Selects the positions with a value. */
export function presenceFilter(column: Column): Filter {
  if (column.kind !== 'codes') return hasValue(column.present)
  return codesIn(column, 1, column.dictionary.size)
}

function hasValue(present: Bits | undefined): Filter {
  return present === undefined ? EVERYTHING : fromBits(present)
}

/** An array of values satisfies a condition if one of them does. */
function listFilter({ values, starts }: ListColumn, condition: ValueCondition): Filter | undefined {
  const filter = valueFilter(values, condition)
  if (filter === undefined) return undefined
  const chunk = bitsFor(CHUNK)
  const elements = starts.at(-1) ?? 0
  return (from, to, bits) => {
    bits.fill(0, 0, wordsOf(from, to))
    let position = from
    const end = starts[to] ?? elements
    for (let start = (starts[from] as number) & ~31; start < end; start += chunk.length * 32) {
      const stop = Math.min(start + chunk.length * 32, elements)
      filter(start, stop, chunk)
      for (; position < to && (starts[position] as number) < stop; position += 1) {
        const first = Math.max(starts[position] as number, start)
        const last = Math.min(starts[position + 1] as number, stop)
        for (let at = first; at < last; at += 1) {
          if ((((chunk[(at - start) >>> 5] as number) >>> ((at - start) & 31)) & 1) === 0) continue
          setBit(bits, position - from)
          break
        }
        // The rest of its values is in the next part.
        if ((starts[position + 1] as number) > stop) break
      }
    }
  }
}

function codeFilter(column: CodeColumn, condition: ValueCondition): Filter {
  const { dictionary, type } = column
  switch (condition.kind) {
    case 'compare': {
      const text = toText(type, condition.value)
      const before = dictionary.countBefore(text)
      const found = dictionary.find(text) !== undefined
      // Codes are one higher than numbers.
      const ranges: Record<Comparison, readonly [first: number, last: number]> = {
        eq: [before + 1, found ? before + 1 : 0],
        lt: [1, before],
        lte: [1, found ? before + 1 : before],
        gt: [found ? before + 2 : before + 1, dictionary.size],
        gte: [before + 1, dictionary.size],
      }
      return codesIn(column, ...ranges[condition.operator])
    }
    case 'oneOf': {
      const codes = condition.values.flatMap((value) => {
        const number = dictionary.find(toText(type, value))
        return number === undefined ? [] : [number + 1]
      })
      return codesAmong(column, codes)
    }
    case 'codes': {
      const codes = new Int32Array(dictionary.size)
      const count = listBits(condition.codes, condition.codes.length, 1, codes)
      return codesAmong(column, codes.subarray(0, count))
    }
    case 'test': {
      const from = dictionary.countBefore(condition.from)
      const to =
        condition.before === undefined ? dictionary.size : dictionary.countBefore(condition.before)
      const codes: number[] = []
      let code = from
      for (const text of dictionary.slice(from, to)) {
        code += 1
        if (condition.test(text)) codes.push(code)
      }
      return codesAmong(column, codes)
    }
  }
}

/** Selects the codes from the first to the last. */
function codesIn({ codes }: CodeColumn, first: number, last: number): Filter {
  return first > last ? NOTHING : wholesIn(codes, first, last)
}

/** Selects some codes. */
function codesAmong({ codes, dictionary }: CodeColumn, among: Iterable<number>): Filter {
  const isAmong = new Uint8Array(dictionary.size + 1)
  for (const code of among) isAmong[code] = 1
  return (from, to, bits) => {
    markAmong(readWholes(codes, from, to), to - from, isAmong, bits)
  }
}

// Loops over rows are functions of their own, which the compiler optimizes after a few chunks. They
// turn comparisons into numbers, because branches that depend on values are mispredicted. Bits after
// the last row may have any value.

function markAmong(chunk: Int32Array, count: number, isAmong: Uint8Array, bits: Bits): void {
  for (let start = 0, word = 0; start < count; start += 32, word += 1) {
    let found = 0
    for (let at = start + 31; at >= start; at -= 1) {
      found = (found << 1) | (isAmong[chunk[at] as number] as number)
    }
    bits[word] = found
  }
}

function wholesIn(values: NumberColumn['values'], first: number, last: number): Filter {
  return (from, to, bits) => {
    markWholes(readWholes(values, from, to), to - from, first, last, bits)
  }
}

function markWholes(
  chunk: Int32Array,
  count: number,
  first: number,
  last: number,
  bits: Bits,
): void {
  // Integers, as the compiler can tell.
  const low = first | 0
  const width = (last - first) >>> 0
  for (let start = 0, word = 0; start < count; start += 32, word += 1) {
    let found = 0
    for (let at = start + 31; at >= start; at -= 1) {
      found = (found << 1) | Number(((chunk[at] as number) - low) >>> 0 <= width)
    }
    bits[word] = found
  }
}

function numberFilter(column: NumberColumn, condition: ValueCondition): Filter {
  if (condition.kind === 'test' || condition.kind === 'codes') {
    throw new Error('numbers have no texts')
  }
  if (condition.kind === 'oneOf') {
    const { values, type } = column
    const among = new Set(condition.values.map((value) => toNumber(type, value)))
    return testEach((position) => among.has(values[position] as number))
  }
  const { operator, value } = condition
  // A rounded number is larger than all numbers of the column.
  const number = toNumber(column.type, value)
  const isLowerBound = operator === 'gt' || operator === 'gte'
  const low = isLowerBound || operator === 'eq' ? number : -Infinity
  const high = operator === 'lt' || operator === 'lte' || operator === 'eq' ? number : Infinity
  const first = operator === 'gt' ? nextAbove(low) : low
  const last = operator === 'lt' ? nextBelow(high) : high
  if (!isWhole(column)) {
    const withNaN = Number.isNaN(number) ? operator !== 'lt' && operator !== 'gt' : isLowerBound
    return doublesIn(
      column.values,
      Number.isNaN(number) ? nanRange(operator) : [first, last],
      withNaN,
    )
  }
  if (Number.isNaN(number)) return operator === 'lt' || operator === 'lte' ? EVERYTHING : NOTHING
  const { min, max } = column.range
  const [from, to] = [Math.max(Math.ceil(first), min), Math.min(Math.floor(last), max)]
  return from <= to ? wholesIn(column.values, from, to) : NOTHING
}

/** The numbers that compare like this with NaN, which is larger than all of them. */
function nanRange(operator: Comparison): readonly [number, number] {
  return operator === 'lt' || operator === 'lte' ? [-Infinity, Infinity] : [Infinity, -Infinity]
}

/** Selects the numbers from the first to the last. */
export function doublesIn(
  values: NumberColumn['values'],
  [first, last]: readonly [number, number],
  includeNaN = false,
): Filter {
  return (from, to, bits) => {
    markDoubles(readDoubles(values, from, to), to - from, [first, last, includeNaN], bits)
  }
}

function markDoubles(
  chunk: Float64Array,
  count: number,
  [first, last, includeNaN]: readonly [number, number, boolean],
  bits: Bits,
): void {
  const nan = Number(includeNaN)
  for (let start = 0, word = 0; start < count; start += 32, word += 1) {
    let found = 0
    for (let at = start + 31; at >= start; at -= 1) {
      const value = chunk[at] as number
      const isIn = Number(value >= first) & Number(value <= last)
      found = (found << 1) | isIn | (nan & Number(Number.isNaN(value)))
    }
    bits[word] = found
  }
}

function nextBelow(number: number): number {
  return -nextAbove(-number)
}
