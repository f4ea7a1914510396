/** Validates actions without applying them. */
import type { ObjectQueryError } from '../../contract/errors.ts'
import { PROPERTIES_RECORD } from '../../contract/object-record.ts'
import { OBJECT_PARAMETERS } from '../../ontology/definition/derive-action-types.ts'
import type { ActionType } from '../../ontology/ontology.ts'
import { findRecord, keyEquals } from '../pages/find-object.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import { missingParameters, type ParameterValues, prepareAction } from './prepare-action.ts'

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
  context: ServiceContext,
  services: ServiceParts,
): Promise<Validation> {
  const missing = missingParameters(actionType, values)
  if (missing.length > 0) return describeValidation(actionType, missing)
  const action = await prepareAction(actionType, values)
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
