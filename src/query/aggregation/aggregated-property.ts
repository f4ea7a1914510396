/** The parts that metrics and groupings share: a property, and the check of their members. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { type ScalarType, typeName } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { conditionsOf } from '../parse/conditions.ts'
import type { QueryBudget } from '../parse/query-budget.ts'
import { REVISION_1_FIELDS } from '../parse/revision-1-query-types.ts'
import { refuseUnknownMembers } from '../parse/unprocessable.ts'

export interface AggregatedProperty {
  readonly property: string
  /** Undefined for arrays, structs and struct fields, which cannot be aggregated. */
  readonly type: ScalarType | undefined
  /** The type for error messages. */
  readonly typeName: string
}

export type FindProperty = (written: unknown, path: string) => AggregatedProperty

/** Returns a function that resolves properties in the spelling of revision 1.0: `properties.NAME`. */
export function propertyFinder(objectType: ObjectType, budget: QueryBudget): FindProperty {
  const { resolve } = conditionsOf(objectType, REVISION_1_FIELDS, budget)
  return (written, path) => {
    const { field, type, isMultiValued } = resolve(written ?? undefined, path)
    const { property, structField } = field
    const whole = objectType.properties.get(property)?.type
    return {
      property: structField === undefined ? property : `${property}.${structField}`,
      type: isMultiValued || structField !== undefined ? undefined : type,
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

export interface AllowedMembers {
  /** The members that the type of this metric or grouping takes. */
  readonly ofType: readonly string[]
  /** The members that any type takes. One that this type does not take may be null. */
  readonly ofAnyType: readonly string[]
}

/** Throws if a metric or a grouping has a member that its type does not take. */
export function refuseOtherMembers(
  written: { readonly type: string },
  { ofType, ofAnyType }: AllowedMembers,
  path: string,
  kind: 'metric' | 'grouping',
): void {
  const present = Object.entries(written).filter(
    ([name, value]) => (value !== null && value !== undefined) || !ofAnyType.includes(name),
  )
  refuseUnknownMembers(
    Object.fromEntries(present),
    ofType,
    path,
    `a ${kind} of type ${written.type}`,
  )
}
