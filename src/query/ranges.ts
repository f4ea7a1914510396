import { ObjectQueryError } from '../contract/errors.ts'
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
      if (toColumnValue(low.value) <= toColumnValue(high.value)) continue
      throw new ObjectQueryError('InvalidRangeQuery', {
        field: property,
        [low.operator]: low.value,
        [high.operator]: high.value,
      })
    }
  }
}
