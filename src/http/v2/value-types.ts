/** Value types, and the rules of properties, as the metadata of v2 describes them. */

import { Type } from 'typebox'
import { namedObject, text } from '../../contract/schema-parts.ts'
import type { PropertyType } from '../../ontology/definition/property-type.ts'
import { partRid } from '../../ontology/definition/rid.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { Constraint, PropertyRules, ValueType } from '../../ontology/rules.ts'
import { DataType } from './data-type.ts'

const ValueTypeConstraint = namedObject(
  'ValueTypeConstraint',
  { type: Type.String() },
  { additionalProperties: true, description: 'A constraint, such as `{"type": "uuid"}`.' },
)

export const ValueTypeResponse = namedObject('OntologyValueType', {
  apiName: Type.String(),
  displayName: Type.String(),
  description: Type.Optional(Type.String()),
  rid: Type.String(),
  status: Type.Enum(['ACTIVE']),
  fieldType: DataType,
  version: Type.String(),
  constraints: Type.Array(ValueTypeConstraint),
})

/** The members of a property that has rules. */
export const RULE_MEMBERS = {
  valueTypeApiName: Type.Optional(text('The value type whose constraints apply.')),
  dataConstraints: Type.Optional(
    namedObject(
      'DataConstraints',
      {
        nullability: Type.Optional(Type.Enum(['NO_EXPLICIT_NULLS'])),
        constraints: Type.Array(ValueTypeConstraint),
      },
      { description: 'What each value must satisfy; absent if there is nothing.' },
    ),
  ),
}

/** Describes the rules of a property. */
export function describeRules(rules: PropertyRules | undefined) {
  if (rules === undefined) return undefined
  const { isRequired, valueType, constraints } = rules
  const isConstrained = isRequired || constraints.length > 0
  return {
    ...(valueType && { valueTypeApiName: valueType }),
    ...(isConstrained && {
      dataConstraints: {
        ...(isRequired && { nullability: 'NO_EXPLICIT_NULLS' }),
        constraints: constraints.map(describeConstraint),
      },
    }),
  }
}

/** A value type with the RID that follows from its name. */
type NamedValueType = ValueType & { readonly rid: string }

export function namedValueType({ rid }: Ontology, type: ValueType): NamedValueType {
  return { ...type, rid: partRid('value-type', rid, type.apiName) }
}

/** Returns a function that describes the value types of an ontology. */
export function valueTypeDescriber({ definition }: Ontology) {
  const definitions = new Map(definition.valueTypes?.map((type) => [type.apiName, type]))
  return ({ apiName, rid, type }: NamedValueType) => {
    const { displayName = apiName, description, constraints = [] } = definitions.get(apiName) ?? {}
    return {
      apiName,
      displayName,
      description,
      rid,
      status: 'ACTIVE',
      fieldType: fieldType(type),
      version: '1.0.0',
      constraints,
    }
  }
}

function describeConstraint(constraint: Constraint): object {
  if (constraint.type !== 'struct') return constraint
  const fields = Object.fromEntries(
    [...constraint.fields].map(([name, all]) => [name, all.map(describeConstraint)]),
  )
  return { type: 'struct', fields }
}

/** The type of a value type has no RIDs, unlike that of a property. */
function fieldType(type: PropertyType): object {
  switch (type.kind) {
    case 'scalar':
      return { type: type.type }
    case 'array':
      return { type: 'array', subType: fieldType(type.items) }
    case 'struct':
      return {
        type: 'struct',
        fields: [...type.fields].map(([name, field]) => ({ name, fieldType: fieldType(field) })),
      }
  }
}
