/** Parses a range of a grouping. */

import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { documentedWith } from '../../contract/schema-parts.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import { readComparedValue, toColumnValue } from '../compared-value.ts'
import type { QueryBudget } from '../parse/query-budget.ts'
import type { ComparedValue } from '../query.ts'
import type { Bound, NumericType, Range, TimeType } from './aggregation.ts'

/** A bound of a range. */
export const BOUND = Type.Optional(
  documentedWith(Type.Unknown(), {
    type: ['string', 'number'],
    description: 'A value of the property, in the JSON encoding of its type.',
  }),
)

export interface WrittenRange {
  readonly gte?: unknown
  readonly gt?: unknown
  readonly lt?: unknown
  readonly lte?: unknown
  /** In v2; inclusive. */
  readonly startValue?: unknown
  /** In v2; exclusive. */
  readonly endValue?: unknown
}

/** Parses a range, or throws the error that the client gets. */
export type RangeReader = (written: WrittenRange, context: RangeContext) => Range

interface RangeContext {
  readonly type: NumericType | TimeType
  /** The error parameters that describe the property. */
  readonly about: { readonly property: string } & Readonly<Record<string, string>>
  readonly budget: QueryBudget
}

/** Parses a range of revision 1.0: one lower bound and one upper bound. */
export const readRevision1Range: RangeReader = (written, context) => {
  const { property } = context.about
  const bounds = presentMembers(written)
  const range = Object.fromEntries(bounds)
  const boundOf = (inclusive: 'gte' | 'lte', exclusive: 'gt' | 'lt'): Bound => {
    const given = bounds.filter(([name]) => name === inclusive || name === exclusive)
    const [bound] = given
    if (bound === undefined || given.length > 1) {
      throw invalidRange(property, range, `requires either ${inclusive} or ${exclusive}`)
    }
    const [name, value] = bound
    return { value: readBound(value, context), inclusive: name === inclusive }
  }
  return checkedRange(boundOf('gte', 'gt'), boundOf('lte', 'lt'), range, property)
}

/** Parses a range of v2: from `startValue` up to, but not including, `endValue`. */
export const readV2Range: RangeReader = (written, context) => {
  const { property } = context.about
  const range: WrittenRange = Object.fromEntries(presentMembers(written))
  const { startValue, endValue } = range
  if (startValue === undefined && endValue === undefined) {
    throw invalidRange(property, range, 'requires startValue, endValue or both')
  }
  const bound = (value: unknown, inclusive: boolean): Bound | undefined =>
    value === undefined ? undefined : { value: readBound(value, context), inclusive }
  return checkedRange(bound(startValue, true), bound(endValue, false), range, property)
}

function presentMembers(written: WrittenRange): [string, unknown][] {
  return Object.entries(written).filter(([, value]) => value !== null && value !== undefined)
}

function checkedRange(
  low: Bound | undefined,
  high: Bound | undefined,
  range: object,
  property: string,
): Range {
  if (low && high && toColumnValue(low.value) > toColumnValue(high.value)) {
    throw invalidRange(property, range, 'has a lower bound above its upper bound')
  }
  return { low, high, json: JSON.stringify(range) }
}

function readBound(value: unknown, { type, about, budget }: RangeContext): ComparedValue {
  if (typeof value === 'string') budget.checkText(about.property, value)
  try {
    const parsed = readComparedValue(type, value)
    if (parsed === 'NaN') throw new RefusedValue('is not a number')
    return parsed
  } catch (error) {
    if (!(error instanceof RefusedValue)) throw error
    throw new ObjectQueryError('InvalidAggregationRangeValue', {
      ...about,
      value,
      reason: error.reason,
    })
  }
}

function invalidRange(property: string, range: object, reason: string): ObjectQueryError {
  return new ObjectQueryError('InvalidAggregationRange', { property, range, reason })
}
