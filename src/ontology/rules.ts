/** What a definition demands of the values of a property, parsed: plain data that threads can share. */

import type {
  ConstraintDefinition,
  ConstraintType,
  DefaultDefinition,
} from './constraint-schema.ts'
import type { PropertyType } from './definition/property-type.ts'

/** A constraint that fits its property. The fields of a struct have the constraints of their types. */
export type Constraint = ScalarConstraint | ArrayConstraint | StructConstraint

export type ScalarConstraint = ScalarMembers & {
  readonly type: Exclude<ConstraintType, 'array' | 'struct'>
}

/** The members of all constraints of scalars. */
export type ScalarMembers = Pick<
  ConstraintDefinition,
  | 'options'
  | 'minimumValue'
  | 'maximumValue'
  | 'minimumLength'
  | 'maximumLength'
  | 'pattern'
  | 'partialMatch'
>

export interface ArrayConstraint
  extends Pick<ConstraintDefinition, 'minimumSize' | 'maximumSize' | 'uniqueValues'> {
  readonly type: 'array'
  readonly valueConstraint?: Constraint
}

export interface StructConstraint {
  readonly type: 'struct'
  readonly fields: ReadonlyMap<string, readonly Constraint[]>
}

export interface PropertyRules {
  readonly isRequired: boolean
  readonly default?: DefaultDefinition
  /** API name of the value type. */
  readonly valueType?: string
  /** Those of the value type, and those of the property itself. */
  readonly constraints: readonly Constraint[]
}

/** A type of values that properties share, with its constraints. */
export interface ValueType {
  readonly apiName: string
  readonly type: PropertyType
  readonly constraints: readonly Constraint[]
}
