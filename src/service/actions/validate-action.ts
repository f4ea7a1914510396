/** Validates actions without applying them. */
import type { ObjectQueryError } from '../../contract/errors.ts'
import { PROPERTIES_RECORD } from '../../contract/object-record.ts'
import { OBJECT_PARAMETERS } from '../../ontology/definition/derive-action-types.ts'
import type { ActionType } from '../../ontology/ontology.ts'
import type { Creation, ObjectViolation } from '../../ontology/values/read-object.ts'
import { findRecord, keyEquals } from '../pages/find-object.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import {
  missingParameters,
  type ParameterValues,
  type PreparedAction,
  prepareAction,
} from './prepare-action.ts'

type Result = 'VALID' | 'INVALID'

export interface Validation {
  readonly result: Result
  readonly submissionCriteria: { configuredFailureMessage?: string; result: Result }[]
  /** By id. */
  readonly parameters: Record<string, ParameterValidation>
}

interface ParameterValidation {
  readonly result: Result
  readonly evaluatedConstraints: { type: string }[]
  readonly required: boolean
}

/** Validates an action against its parameters and the current objects. Writes nothing. */
export async function validateAction(
  actionType: ActionType,
  values: ParameterValues,
  { creation, context }: { readonly creation: Creation; readonly context: ServiceContext },
  services: ServiceParts,
): Promise<Validation> {
  const missing = missingParameters(actionType, values)
  if (missing.length > 0) return describeValidation(actionType, missing)
  try {
    const action = await prepareAction(actionType, values, creation)
    return await validatePrepared(action, context, services)
  } catch (error) {
    const violating = violatingParameters(actionType, error)
    if (violating === undefined) throw error
    return describeValidation(actionType, violating)
  }
}

/** Returns the ids of the parameters whose values violate constraints; undefined for other errors. */
function violatingParameters({ parameters }: ActionType, error: unknown): string[] | undefined {
  const { errorName, parameters: details } = error as Partial<ObjectQueryError>
  if (errorName !== 'ConstraintViolated') return undefined
  const violations = details?.['violations'] as readonly ObjectViolation[]
  // The path inside a property follows its name.
  const isOf = (id: string, { property }: ObjectViolation) =>
    property === id || property.startsWith(`${id}.`) || property.startsWith(`${id}[`)
  return [...parameters.keys()].filter((id) => violations.some((one) => isOf(id, one)))
}

async function validatePrepared(
  action: PreparedAction,
  context: ServiceContext,
  services: ServiceParts,
): Promise<Validation> {
  const { actionType } = action
  const { objectType } = actionType
  const spec = {
    objectType,
    query: keyEquals(objectType, action.key.text),
    shape: PROPERTIES_RECORD,
    selection: undefined,
  }
  const found = await findRecord(spec, context, services)
  try {
    await action.decide(found && { body: found.json.toString('utf8') })
    return describeValidation(actionType, [])
  } catch (error) {
    const { errorName } = error as Partial<ObjectQueryError>
    if (errorName === 'ObjectAlreadyExists') {
      return describeValidation(actionType, [], [ALREADY_EXISTS])
    }
    if (errorName !== 'ActionParameterObjectNotFound') throw error
    return describeValidation(actionType, [OBJECT_PARAMETERS[actionType.kind] ?? ''])
  }
}

const ALREADY_EXISTS = 'An object with this primary key exists already.'

/** Describes which parameters are invalid, and which criteria the action does not meet. */
export function describeValidation(
  { parameters }: ActionType,
  invalidIds: readonly string[],
  failures: readonly string[] = [],
): Validation {
  const isValid = invalidIds.length + failures.length === 0
  return {
    result: isValid ? 'VALID' : 'INVALID',
    submissionCriteria: failures.map((configuredFailureMessage) => ({
      configuredFailureMessage,
      result: 'INVALID',
    })),
    parameters: Object.fromEntries(
      [...parameters.values()].map(({ id, type, isRequired }) => {
        const isInvalid = invalidIds.includes(id)
        const evaluatedConstraints = type === 'object' ? [{ type: 'objectQueryResult' }] : []
        const result = isInvalid ? 'INVALID' : 'VALID'
        return [id, { result, evaluatedConstraints, required: isRequired }]
      }),
    ),
  }
}
