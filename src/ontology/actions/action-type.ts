/**
 * Action types: `create-T`, `modify-T` and `delete-T` for each object type T. They follow from the
 * definition of the object type, so they need none of their own.
 */
import type { PropertyType } from '../definition/property-type.ts'
import { objectId } from '../definition/rid.ts'
import type { ObjectType, Ontology } from '../ontology.ts'

export const ACTION_KINDS = ['create', 'modify', 'delete'] as const

export type ActionKind = (typeof ACTION_KINDS)[number]

/** The parameter that names the object of an action, for each kind that has one. */
export const OBJECT_PARAMETERS: Readonly<Record<ActionKind, string | undefined>> = {
  create: undefined,
  modify: 'objectToModifyParameter',
  delete: 'objectToDeleteParameter',
}

export interface ActionParameter {
  readonly id: string
  /** The type of the property that it sets; `object` if it names the object of the action. */
  readonly type: PropertyType | 'object'
  readonly isRequired: boolean
}

export interface ActionType {
  readonly apiName: string
  readonly rid: string
  readonly kind: ActionKind
  readonly objectType: ObjectType
  /** By id. */
  readonly parameters: ReadonlyMap<string, ActionParameter>
}

/** Returns the action types of an ontology. */
export function actionTypesOf(ontology: Ontology): readonly ActionType[] {
  return [...ontology.objectTypes.values()].flatMap((objectType) =>
    ACTION_KINDS.map((kind) => actionType(kind, objectType)),
  )
}

/** Returns the action type with an API name, if there is one. */
export function findActionType(ontology: Ontology, apiName: string): ActionType | undefined {
  const kind = ACTION_KINDS.find((one) => apiName.startsWith(`${one}-`))
  if (kind === undefined) return undefined
  const objectType = ontology.objectTypes.get(apiName.slice(kind.length + 1))
  return objectType && actionType(kind, objectType)
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
  for (const { apiName, type } of properties.values()) {
    const isKey = apiName === primaryKey.apiName
    // The key of an object cannot change.
    if (apiName === objectParameter || (kind === 'modify' && isKey)) continue
    parameters.push({ id: apiName, type, isRequired: isKey })
  }
  return parameters
}
