/** Validates actions without applying them. */
import { type Static, Type } from 'typebox'
import type { ObjectQueryError } from '../../contract/errors.ts'
import { PROPERTIES_RECORD } from '../../contract/object-record.ts'
import { namedObject } from '../../contract/schema-parts.ts'
import { OBJECT_PARAMETERS } from '../../ontology/definition/derive-action-types.ts'
import type { ActionType } from '../../ontology/ontology.ts'
import { findRecord, keyEquals } from '../pages/find-object.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import { missingParameters, type ParameterValues, prepareAction } from './prepare-action.ts'

const Result = Type.Enum(['VALID', 'INVALID'])

export const Validation = namedObject('ActionValidation', {
  result: Result,
  submissionCriteria: Type.Array(
    namedObject('SubmissionCriterion', {
      configuredFailureMessage: Type.Optional(Type.String()),
      result: Result,
    }),
  ),
  parameters: Type.Record(
    Type.String(),
    namedObject('ParameterValidation', {
      result: Result,
      evaluatedConstraints: Type.Array(Type.Object({ type: Type.String() })),
      required: Type.Boolean(),
    }),
    { description: 'By id.' },
  ),
})
export type Validation = Static<typeof Validation>

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
