import { ObjectQueryError } from '../contract/errors.ts'
import type { ColumnValue } from '../ontology/column-value.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { toColumnValue } from './fields.ts'
import type { Query } from './query.ts'

/** Refuses a range whose ends are the wrong way round: it is a mistake, not an empty answer. */
export function refuseUpsideDown(conditions: readonly Query[], objectType: ObjectType): void {
  const bounds = conditions.filter((one) => one.kind === 'compare')
  for (const low of bounds.filter(({ operator }) => operator === 'gt' || operator === 'gte')) {
    for (const high of bounds.filter(({ operator }) => operator === 'lt' || operator === 'lte')) {
      const { property, structField } = low.field
      if (high.field.property !== property || structField !== undefined) continue
      // Different values of one array may fulfil the two conditions.
      if (objectType.properties.get(property)?.type.kind !== 'scalar') continue
      if (!sortsBehind(toColumnValue(low.value), toColumnValue(high.value))) continue
      throw new ObjectQueryError('InvalidRangeQuery', { field: property })
    }
  }
}

/** As stores sort: numbers before text (NaN is text), text by code point. */
function sortsBehind(a: ColumnValue, b: ColumnValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    return Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0
  }
  if (typeof a === 'string' || typeof b === 'string') return typeof a === 'string'
  return a > b
}
