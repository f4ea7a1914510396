/** Checks the parameters of an action, and turns them into the edit of one object. */
import { nextTurn } from '../../admission/next-turn.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { baseType } from '../../ontology/definition/base-type.ts'
import { OBJECT_PARAMETERS } from '../../ontology/definition/derive-action-types.ts'
import type { PropertyType } from '../../ontology/definition/property-type.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import type { ActionParameter, ActionType } from '../../ontology/ontology.ts'
import { finishInTurns } from '../../ontology/pausable-work.ts'
import { constraintViolated } from '../../ontology/values/constraint-violated.ts'
import type { PrimaryKey } from '../../ontology/values/primary-key.ts'
import {
  type Creation,
  objectSteps,
  RefusedObject,
  readObjectKey,
  type StoredObject,
  ViolatingObject,
} from '../../ontology/values/read-object.ts'
import type { Change, CurrentObject } from '../../store/object-store.ts'

export type ParameterValues = Readonly<Record<string, unknown>>

/** An action whose parameters are complete and valid. */
export interface PreparedAction {
  readonly actionType: ActionType
  readonly key: PrimaryKey
  /** Returns the change of the object. Throws if the object exists or is missing against the rules. */
  readonly decide: (current: Pick<CurrentObject, 'body'> | undefined) => Promise<Change>
}

/** Returns the ids of the required parameters that are missing. Throws if a parameter is unknown. */
export function missingParameters(actionType: ActionType, values: ParameterValues): string[] {
  refuseUnknown(actionType, values)
  return [...actionType.parameters.values()]
    .filter(({ id, isRequired }) => isRequired && isAbsent(values, id))
    .map(({ id }) => id)
}

/** Prepares an action without missing parameters. Throws if a value is invalid for its type. */
export async function prepareAction(
  actionType: ActionType,
  values: ParameterValues,
  creation: Creation,
): Promise<PreparedAction> {
  return actionType.kind === 'create'
    ? prepareCreate(actionType, values, creation)
    : prepareChange(actionType, values)
}

async function prepareCreate(
  actionType: ActionType,
  values: ParameterValues,
  creation: Creation,
): Promise<PreparedAction> {
  const { objectType } = actionType
  const properties = propertiesOf(actionType, values)
  const put = await readObject(actionType, properties, values, creation)
  const { text } = readObjectKey(objectType, JSON.parse(put.key))
  const key = { pk: put.pk, text }
  return {
    actionType,
    key,
    decide: async (current) => {
      if (current === undefined) return { put }
      const parameters = { objectType: objectType.apiName, primaryKey: text }
      throw new ObjectQueryError('ObjectAlreadyExists', parameters)
    },
  }
}

function prepareChange(actionType: ActionType, values: ParameterValues): PreparedAction {
  const key = readObjectParameter(actionType, values)
  const changed = propertiesOf(actionType, values)
  return {
    actionType,
    key,
    decide: async (current) => {
      if (current === undefined) {
        const parameterId = OBJECT_PARAMETERS[actionType.kind]
        const parameters = { parameterId, primaryKey: key.text }
        throw new ObjectQueryError('ActionParameterObjectNotFound', parameters)
      }
      if (actionType.kind === 'delete') return { delete: key.pk }
      const merged = { ...(JSON.parse(current.body) as object), ...changed }
      return { put: await readObject(actionType, merged, values) }
    },
  }
}

function refuseUnknown({ apiName, parameters }: ActionType, values: ParameterValues): void {
  const unknownParameterIds = Object.keys(values).filter((id) => !parameters.has(id))
  if (unknownParameterIds.length === 0) return
  throw new ObjectQueryError('ParametersNotFound', {
    actionType: apiName,
    unknownParameterIds,
    configuredParameterIds: [...parameters.keys()],
  })
}

function isAbsent(values: ParameterValues, id: string): boolean {
  return (Object.hasOwn(values, id) ? values[id] : null) === null
}

/** Returns the properties that the parameters set. Null clears a property. */
function propertiesOf({ parameters }: ActionType, values: ParameterValues): ParameterValues {
  return Object.fromEntries(
    Object.entries(values).flatMap(([id, value]) => {
      const type = parameters.get(id)?.type ?? 'object'
      return type === 'object' ? [] : [[id, toPropertyValue(type, value)]]
    }),
  )
}

function readObjectParameter(actionType: ActionType, values: ParameterValues): PrimaryKey {
  const { kind, objectType, parameters } = actionType
  const parameter = parameters.get(OBJECT_PARAMETERS[kind] ?? '')
  const value = values[parameter?.id ?? '']
  const { objectType: named = objectType.apiName, key } = readLocator(value)
  try {
    if (named !== objectType.apiName)
      throw new RefusedObject(`is not of type ${objectType.apiName}`)
    return readObjectKey(objectType, key)
  } catch (error) {
    if (!(error instanceof RefusedObject)) throw error
    throw invalidValue(actionType, parameter, value, error.reason)
  }
}

async function readObject(
  actionType: ActionType,
  properties: unknown,
  values: ParameterValues,
  creation?: Creation,
): Promise<StoredObject> {
  const { objectType } = actionType
  try {
    return await finishInTurns(objectSteps(objectType)(properties, creation), nextTurn)
  } catch (error) {
    if (error instanceof ViolatingObject) {
      throw constraintViolated(objectType.apiName, [{ object: error }])
    }
    if (!(error instanceof RefusedObject)) throw error
    const { property = '', reason } = error
    const parameter = [...actionType.parameters.values()].find(
      ({ id }) => property === id || property.startsWith(`${id}.`) || property.startsWith(`${id}[`),
    )
    throw invalidValue(actionType, parameter, values[parameter?.id ?? ''], reason, property)
  }
}

function invalidValue(
  { apiName, objectType }: ActionType,
  parameter: ActionParameter | undefined,
  parameterValue: unknown,
  reason: string,
  path = parameter?.id,
): ObjectQueryError {
  // The object as a whole is refused, for example because of its size.
  if (parameter === undefined) {
    return new ObjectQueryError('ActionValidationFailed', { actionType: apiName, reason })
  }
  return new ObjectQueryError('InvalidParameterValue', {
    parameterId: parameter.id,
    parameterBaseType: parameterBaseType(parameter, objectType.apiName),
    parameterValue,
    ...(path === parameter.id ? {} : { path }),
    reason,
  })
}

/** Returns the type of a parameter as revision 1.0 writes it. */
export function parameterBaseType({ type }: ActionParameter, objectType: string): string {
  return type === 'object' ? `OntologyObject<${objectType}>` : baseType(type)
}

/** Returns the value of a property for the value of a parameter. What is invalid stays as it is. */
function toPropertyValue(type: PropertyType, value: unknown): unknown {
  if (type.kind === 'array') {
    return Array.isArray(value) ? value.map((item) => toPropertyValue(type.items, item)) : value
  }
  if (type.kind === 'struct') {
    if (!isJsonObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const field = type.fields.get(name)
        return [name, field === undefined ? member : toPropertyValue(field, member)]
      }),
    )
  }
  if (typeof value !== 'string') return value
  if (type.type === 'geopoint') return toPoint(value)
  return type.type === 'attachment' ? { rid: value } : value
}

/** Official clients send a position as `latitude,longitude`. */
function toPoint(text: string): unknown {
  const parts = /^\s*(-?[\d.]+(?:e[-+]?\d+)?)\s*,\s*(-?[\d.]+(?:e[-+]?\d+)?)\s*$/i.exec(text)
  if (parts === null) return text
  return { type: 'Point', coordinates: [Number(parts[2]), Number(parts[1])] }
}

/** Returns the key in the value of a parameter that names an object, alone or in an object locator. */
function readLocator(value: unknown): { readonly objectType?: unknown; key: unknown } {
  if (!isJsonObject(value)) return { key: value }
  const { objectTypeApiName, primaryKeyValue } = value as Record<string, unknown>
  return { objectType: objectTypeApiName, key: primaryKeyValue }
}
