/** The keys of a grouping by ranges, as `GroupKeys`. */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { Grouping } from '../../../query/aggregation/aggregation.ts'
import { cutRanges } from '../../../query/aggregation/cut-ranges.ts'
import { hasBit } from '../arrays/bits.ts'
import type { CodeColumn, Column, NumberColumn } from '../segment/column.ts'
import { nextAbove, toNumber, toText } from '../segment/stored-form.ts'
import { type Coder, cutCoder } from './group-codes.ts'

export function rangeKeys({ ranges }: Grouping & { kind: 'ranges' }) {
  const { cuts, segments } = cutRanges(ranges)
  const isAfter = cuts.map(({ after }) => after)
  return {
    coderOf: (column: Column): Coder | undefined => {
      // Ranges of decimals are compared as codes.
      const bounds = cuts.map(({ value }) => boundIn(column, value))
      if (bounds.some((bound) => bound === undefined)) return undefined
      const values = bounds.map(Number)
      const isDisjoint = segments.every((ranged) => ranged.length < 2)
      const isPlain = column.kind === 'numbers' || column.kind === 'codes'
      if (isDisjoint && isPlain && values.every(Number.isFinite)) {
        return disjointCoder(column, values, isAfter, segments)
      }
      const segmentOf = (number: number) => {
        let from = 0
        let to = values.length
        while (from < to) {
          const middle = (from + to) >>> 1
          const cut = values[middle] as number
          // NaN is larger than every number.
          const isBeyond = isAfter[middle] === true ? number > cut : number >= cut
          if (isBeyond || Number.isNaN(number)) from = middle + 1
          else to = middle
        }
        return from
      }
      const numberAt = orderedNumbers(column)
      return {
        kind: 'many',
        codesOf: (position) => {
          const number = numberAt?.(position)
          return number === undefined ? NONE : (segments[segmentOf(number)] ?? NONE)
        },
      }
    },
    json: (code: number) => ranges[code]?.json ?? '{}',
    ranks: () => (code: number) => code,
  }
}

/** Every value belongs to at most one range. */
function disjointCoder(
  column: NumberColumn | CodeColumn,
  values: readonly number[],
  isAfter: readonly boolean[],
  segments: readonly (readonly number[])[],
): Coder {
  const cuts = values.map((value, index) => (isAfter[index] === true ? nextAbove(value) : value))
  const codes = segments.map(([code = -1]) => code)
  // The code of no value is smaller than all others.
  return column.kind === 'numbers'
    ? cutCoder(column, Float64Array.from(cuts), Int32Array.from(codes))
    : cutCoder(column, Float64Array.from([0.25, ...cuts]), Int32Array.from([-1, ...codes]))
}

const NONE: readonly number[] = []

/** Returns the numbers of a column, or its codes, which sort as its values do. */
function orderedNumbers(column: Column): ((position: number) => number | undefined) | undefined {
  if (column.kind === 'numbers') return (position) => numberAt(column, position)
  if (column.kind !== 'codes') return undefined
  return (position) => {
    const code = column.codes[position] as number
    return code === 0 ? undefined : code
  }
}

function numberAt({ values, present }: NumberColumn, position: number): number | undefined {
  return present !== undefined && !hasBit(present, position)
    ? undefined
    : (values[position] as number)
}

/** Returns a value as `orderedNumbers` has it, between two codes if no position has it. */
function boundIn(column: Column, value: ColumnValue): number | undefined {
  if (column.kind === 'numbers') return toNumber(column.type, value)
  if (column.kind !== 'codes') return undefined
  const { dictionary, type } = column
  const text = toText(type, value)
  const before = dictionary.countBefore(text)
  return dictionary.find(text) === undefined ? before + 0.5 : before + 1
}
