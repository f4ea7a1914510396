/**
 * Action types: `create-T`, `modify-T` and `delete-T` for each object type T. They follow from the
 * definition of the object type, so they need none of their own.
 */

import type { ActionKind, ActionParameter, ActionType, ObjectType } from '../ontology.ts'
import { objectId } from './rid.ts'

const ACTION_KINDS = ['create', 'modify', 'delete'] as const

/** The parameter that names the object of an action, for each kind that has one. */
export const OBJECT_PARAMETERS: Readonly<Record<ActionKind, string | undefined>> = {
  create: undefined,
  modify: 'objectToModifyParameter',
  delete: 'objectToDeleteParameter',
}

/** Returns the action types of object types, by API name. */
export function deriveActionTypes(
  objectTypes: Iterable<ObjectType>,
): ReadonlyMap<string, ActionType> {
  const actionTypes = new Map<string, ActionType>()
  for (const objectType of objectTypes) {
    if (objectType.access !== 'all') continue
    for (const kind of ACTION_KINDS) {
      const one = actionType(kind, objectType)
      actionTypes.set(one.apiName, one)
    }
  }
  return actionTypes
}

function actionType(kind: ActionKind, objectType: ObjectType): ActionType {
  return {
    apiName: `${kind}-${objectType.apiName}`,
    rid: `ri.ontology.main.action-type.${objectId(objectType.rid, kind)}`,
    kind,
    objectType,
    parameters: new Map(parametersOf(kind, objectType).map((one) => [one.id, one])),
  }
}

function parametersOf(kind: ActionKind, { properties, primaryKey }: ObjectType): ActionParameter[] {
  const objectParameter = OBJECT_PARAMETERS[kind]
  const parameters: ActionParameter[] =
    objectParameter === undefined ? [] : [{ id: objectParameter, type: 'object', isRequired: true }]
  if (kind === 'delete') return parameters
  for (const { apiName, type, rules } of properties.values()) {
    const isKey = apiName === primaryKey.apiName
    // The key of an object cannot change.
    if (apiName === objectParameter || (kind === 'modify' && isKey)) continue
    const mustHaveValue = isKey || rules?.isRequired === true
    const isRequired = kind === 'create' && mustHaveValue && rules?.default === undefined
    parameters.push({ id: apiName, type, isRequired })
  }
  return parameters
}
