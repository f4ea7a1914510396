import { ObjectQueryError } from '../contract/errors.ts'
import { RefusedValue } from '../ontology/values/refused-value.ts'
import type { Bound, NumericType, Range, TimeType } from './aggregation.ts'
import { readComparedValue, toColumnValue } from './fields.ts'
import type { ComparedValue } from './query.ts'
import type { QueryBudget } from './query-budget.ts'

/** A range of a grouping: one lower and one upper bound, the right way round. */

export interface WrittenRange {
  readonly gte?: unknown
  readonly gt?: unknown
  readonly lt?: unknown
  readonly lte?: unknown
}

interface RangeContext {
  readonly type: NumericType | TimeType
  /** The parameters of errors about the property. */
  readonly about: { readonly property: string } & Readonly<Record<string, string>>
  readonly budget: QueryBudget
}

export function readRange(written: WrittenRange, context: RangeContext): Range {
  const { property } = context.about
  const bounds = Object.entries(written).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  const range = Object.fromEntries(bounds)
  const boundOf = (inclusive: 'gte' | 'lte', exclusive: 'gt' | 'lt'): Bound => {
    const given = bounds.filter(([name]) => name === inclusive || name === exclusive)
    const [bound] = given
    if (bound === undefined || given.length > 1) {
      throw invalidRange(property, range, `needs either ${inclusive} or ${exclusive}`)
    }
    const [name, value] = bound
    return { value: readBound(value, context), inclusive: name === inclusive }
  }
  const [low, high] = [boundOf('gte', 'gt'), boundOf('lte', 'lt')]
  if (toColumnValue(low.value) > toColumnValue(high.value)) {
    throw invalidRange(property, range, 'begins behind its end')
  }
  return { low, high, json: JSON.stringify(range) }
}

function readBound(value: unknown, { type, about, budget }: RangeContext): ComparedValue {
  if (typeof value === 'string') budget.checkText(about.property, value)
  try {
    const read = readComparedValue(type, value)
    if (read === 'NaN') throw new RefusedValue('is not a number')
    return read
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
