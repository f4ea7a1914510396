/** The order of the rows within one segment. */

import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { OrderTerm } from '../../../query/query.ts'
import type { SetOrderTerm } from '../../port/pages.ts'
import { type Bits, hasBit } from '../arrays/bits.ts'
import type { NumberArray } from '../arrays/shared-arrays.ts'
import type { CodeColumn, Column, NumberColumn } from '../segment/column.ts'
import type { Segment } from '../segment/segment.ts'
import { fromNumber, fromText, toNumber, toText } from '../segment/stored-form.ts'

/**
 * What rows of several segments are compared by: a number, or the column value of a type whose values
 * are texts in some segments. Undefined is no value.
 */
export type OrderValue = ColumnValue | undefined

/** A term of an order over several types, see `SetOrderTerm`. */
export type MergedTerm = Pick<SetOrderTerm, 'direction' | 'nulls' | 'properties' | 'structField'>

/** One term of an order, within one segment. */
export interface LocalTerm {
  readonly sign: 1 | -1
  readonly nullsLast: boolean
  /** Returns a number that sorts as the value does; undefined for no value. */
  readonly rankOf: (position: number) => number | undefined
  readonly valueOf: (position: number) => OrderValue
  /** Returns the rank that a value would have. */
  readonly rankOfValue: (value: ColumnValue) => number
  /** The ranks of all positions; undefined if none has a value. */
  readonly ranks: RankArray | undefined
}

export interface RankArray {
  readonly values: NumberArray
  /** The positions with a value; undefined if all have one, or the rank 0 is none. */
  readonly present: Bits | undefined
  readonly isZeroNone: boolean
}

/** Returns undefined if the segment has no column for a term. */
export function localTerms(
  segment: Segment,
  order: readonly MergedTerm[],
  part: number,
): readonly LocalTerm[] | undefined {
  const terms = order.map(({ properties, structField, direction, nulls }) => {
    const property = properties[part]
    const column = property === undefined ? undefined : segment.column({ property, structField })
    const ranked = property === undefined ? WITHOUT_VALUES : column && rankedColumn(column)
    return ranked && { ...ranked, sign: signOf(direction), nullsLast: nulls === 'last' }
  })
  return terms.every((term) => term !== undefined) ? terms : undefined
}

export function signOf(direction: OrderTerm['direction']): 1 | -1 {
  return direction === 'asc' ? 1 : -1
}

type RankedColumn = Pick<LocalTerm, 'rankOf' | 'valueOf' | 'rankOfValue' | 'ranks'>

/** The term of a part that does not have the property. */
const WITHOUT_VALUES: RankedColumn = {
  rankOf: () => undefined,
  valueOf: () => undefined,
  rankOfValue: () => 0,
  ranks: undefined,
}

function rankedColumn(column: Column): RankedColumn | undefined {
  if (column.kind === 'codes') return rankedCodes(column)
  return column.kind === 'numbers' ? rankedNumbers(column) : undefined
}

function rankedCodes({ codes, dictionary, type }: CodeColumn): RankedColumn {
  return {
    rankOf: (position) => {
      const code = codes[position] as number
      return code === 0 ? undefined : code
    },
    valueOf: (position) => {
      const code = codes[position] as number
      return code === 0 ? undefined : fromText(type, dictionary.at(code - 1))
    },
    rankOfValue: (value) => {
      const text = toText(type, value)
      const before = dictionary.countBefore(text)
      return dictionary.find(text) === undefined ? before + 0.5 : before + 1
    },
    ranks: { values: codes, present: undefined, isZeroNone: true },
  }
}

function rankedNumbers({ values, present, type }: NumberColumn): RankedColumn {
  const numberOf = (position: number) =>
    present !== undefined && !hasBit(present, position) ? undefined : (values[position] as number)
  // Another segment may have them as texts.
  const isAmbiguous = type === 'long' || type === 'timestamp'
  return {
    rankOf: numberOf,
    valueOf: (position) => {
      const number = numberOf(position)
      return number === undefined || !isAmbiguous ? number : fromNumber(type, number)
    },
    rankOfValue: (value) => (typeof value === 'number' ? value : toNumber(type, value)),
    ranks: { values, present, isZeroNone: false },
  }
}

/** Compares two ranks or values of a term; undefined is no value. */
export function compareValues(
  { sign, nullsLast }: Pick<LocalTerm, 'sign' | 'nullsLast'>,
  a: OrderValue,
  b: OrderValue,
): number {
  if (a === undefined || b === undefined) {
    if (a === b) return 0
    return (a === undefined) === nullsLast ? 1 : -1
  }
  if (typeof a === 'string' || typeof b === 'string') {
    return sign * compareTexts(String(a), String(b))
  }
  // NaN is larger than every number.
  if (Number.isNaN(a) || Number.isNaN(b)) {
    return sign * (Number(Number.isNaN(a)) - Number(Number.isNaN(b)))
  }
  return a < b ? -sign : a > b ? sign : 0
}

/** Compares texts as databases do, by code point. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
