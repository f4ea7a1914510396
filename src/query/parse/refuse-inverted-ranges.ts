/** Refuses ranges that cannot match, because their lower bound is above their upper bound. */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { ColumnValue } from '../../ontology/values/column-value.ts'
import { toColumnValue } from '../compared-value.ts'
import type { Query } from '../query.ts'

/** Throws if two of the conditions form an inverted range, which is a mistake of the client. */
export function refuseInvertedRanges(conditions: readonly Query[], objectType: ObjectType): void {
  // The tightest bounds of each property: only these can be inverted.
  const lows = new Map<string, ColumnValue>()
  const highs = new Map<string, ColumnValue>()
  for (const condition of conditions) {
    if (condition.kind !== 'compare' || condition.operator === 'eq') continue
    const { property, structField } = condition.field
    // Different values of one array can satisfy the two conditions.
    if (structField !== undefined) continue
    if (objectType.properties.get(property)?.type.kind !== 'scalar') continue
    const value = toColumnValue(condition.value)
    const isLow = condition.operator === 'gt' || condition.operator === 'gte'
    const bounds = isLow ? lows : highs
    const tightest = bounds.get(property)
    const isTighter =
      tightest === undefined || (isLow ? sortsAfter(value, tightest) : sortsAfter(tightest, value))
    if (isTighter) bounds.set(property, value)
  }
  for (const [property, low] of lows) {
    const high = highs.get(property)
    if (high === undefined || !sortsAfter(low, high)) continue
    throw new ObjectQueryError('InvalidRangeQuery', { field: property })
  }
}

/** Compares as stores do: numbers before text (NaN is text), text by code point. */
function sortsAfter(a: ColumnValue, b: ColumnValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    return Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0
  }
  if (typeof a === 'string' || typeof b === 'string') return typeof a === 'string'
  return a > b
}
