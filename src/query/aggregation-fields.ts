import { ObjectQueryError } from '../contract/errors.ts'
import { type ScalarType, typeName } from '../ontology/definition/property-type.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { conditionsOf } from './conditions.ts'
import type { QueryBudget } from './query-budget.ts'
import { REVISION_1_FIELDS } from './revision-1-query.ts'
import { unprocessable } from './unprocessable.ts'

/** What metrics and groupings have in common: a field, and members of their own. */

export interface AggregatedProperty {
  readonly property: string
  /** Undefined where an object can hold several values: arrays, structs and their fields. */
  readonly type: ScalarType | undefined
  /** The type as people read it. */
  readonly typeName: string
}

export type FindProperty = (written: unknown, path: string) => AggregatedProperty

/** Finds properties by how revision 1.0 writes them: `properties.NAME`. */
export function propertyFinder(objectType: ObjectType, budget: QueryBudget): FindProperty {
  const { resolve } = conditionsOf(objectType, REVISION_1_FIELDS, budget)
  return (written, path) => {
    const { field, type, many } = resolve(written ?? undefined, path)
    const { property, structField } = field
    const whole = objectType.properties.get(property)?.type
    return {
      property: structField === undefined ? property : `${property}.${structField}`,
      type: many || structField !== undefined ? undefined : type,
      typeName: whole === undefined ? '' : typeName(whole),
    }
  }
}

export function invalidPropertyType(
  { property, typeName: propertyBaseType }: AggregatedProperty,
  reason: string,
): ObjectQueryError {
  return new ObjectQueryError('InvalidPropertyType', { property, propertyBaseType, reason })
}

/** A member that this type does not have is a mistake, not something to pass over. */
export function refuseOtherMembers(
  written: { readonly type: string },
  members: readonly string[],
  path: string,
  what: 'metric' | 'grouping',
): void {
  const odd = Object.entries(written).find(
    ([name, value]) => value !== null && value !== undefined && !members.includes(name),
  )
  if (odd !== undefined) {
    throw unprocessable(`${path}.${odd[0]}`, `a ${what} of type ${written.type} has no such member`)
  }
}
