/** Action types as JSON, and their schemas, in revision 1.0 and in v2. */

import { Type } from 'typebox'
import { namedObject, text } from '../../contract/schema-parts.ts'
import type { PropertyType, ScalarType } from '../../ontology/definition/property-type.ts'
import type { ActionKind, ActionType } from '../../ontology/ontology.ts'
import { parameterBaseType } from '../../service/actions/prepare-action.ts'

const Operation = namedObject('ActionOperation', {
  type: Type.Enum(['createObject', 'modifyObject', 'deleteObject']),
  objectTypeApiName: Type.String(),
})

const common = {
  apiName: Type.String(),
  description: Type.Optional(Type.String()),
  displayName: Type.Optional(Type.String()),
  status: Type.Enum(['ACTIVE']),
  rid: Type.String(),
  operations: Type.Array(Operation),
}

/** An action type in revision 1.0. */
export const ActionTypeResponse = namedObject('ActionType', {
  ...common,
  parameters: Type.Record(
    Type.String(),
    namedObject('ActionParameter', {
      baseType: text('The type, such as `String` or `OntologyObject<T>`.'),
      required: Type.Boolean(),
    }),
    { description: 'By id.' },
  ),
})

const DataType = namedObject(
  'DataType',
  { type: Type.String() },
  { additionalProperties: true, description: 'The type, such as `{"type": "integer"}`.' },
)

/** An action type in v2. */
export const ActionTypeV2Response = namedObject('ActionTypeV2', {
  ...common,
  parameters: Type.Record(
    Type.String(),
    namedObject('ActionParameterV2', {
      displayName: Type.String(),
      dataType: DataType,
      required: Type.Boolean(),
      typeClasses: Type.Array(Type.Unknown()),
    }),
    { description: 'By id.' },
  ),
})

/** Describes an action type as revision 1.0 does. */
export function describeActionType(actionType: ActionType) {
  const { objectType, parameters } = actionType
  return {
    ...commonMembers(actionType),
    parameters: Object.fromEntries(
      [...parameters.values()].map((parameter) => [
        parameter.id,
        {
          baseType: parameterBaseType(parameter, objectType.apiName),
          required: parameter.isRequired,
        },
      ]),
    ),
  }
}

/** Describes an action type as v2 does. */
export function describeActionTypeV2(actionType: ActionType) {
  const { objectType, parameters } = actionType
  const { apiName } = objectType
  return {
    ...commonMembers(actionType),
    parameters: Object.fromEntries(
      [...parameters.values()].map(({ id, type, isRequired }) => {
        const dataType =
          type === 'object'
            ? { type: 'object', objectApiName: apiName, objectTypeApiName: apiName }
            : parameterType(type)
        return [id, { displayName: id, dataType, required: isRequired, typeClasses: [] }]
      }),
    ),
  }
}

const VERBS: Readonly<Record<ActionKind, string>> = {
  create: 'Create',
  modify: 'Modify',
  delete: 'Delete',
}

function commonMembers({ apiName, rid, kind, objectType }: ActionType) {
  return {
    apiName,
    displayName: `${VERBS[kind]} ${objectType.apiName}`,
    status: 'ACTIVE',
    rid,
    operations: [{ type: `${kind}Object`, objectTypeApiName: objectType.apiName }],
  }
}

/** Types that parameters of v2 do not have, with the type whose JSON they share. */
const PARAMETER_TYPES: Partial<Record<ScalarType, string>> = {
  byte: 'integer',
  short: 'integer',
  float: 'double',
  decimal: 'string',
  geopoint: 'geohash',
}

function parameterType(type: PropertyType): object {
  switch (type.kind) {
    case 'scalar':
      return { type: PARAMETER_TYPES[type.type] ?? type.type }
    case 'array':
      return { type: 'array', subType: parameterType(type.items) }
    case 'struct':
      return {
        type: 'struct',
        fields: [...type.fields].map(([name, field]) => ({
          name,
          fieldType: parameterType(field),
          required: false,
        })),
      }
  }
}
