/** The parts of requests and responses that the actions of revision 1.0 and v2 share. */
import { type TSchema, Type } from 'typebox'
import { ACTION_BATCH_MAX } from '../../contract/limits.ts'
import { closed, documentedWith, namedObject, optional } from '../../contract/schema-parts.ts'

const parameters = optional(
  Type.Record(Type.String(), Type.Unknown(), { description: 'The values of parameters by id.' }),
)

export const ActionBody = namedObject('ActionRequest', { parameters }, closed)

const requests = optional(
  documentedWith(Type.Array(ActionBody, { description: 'Applied together, as one commit.' }), {
    type: 'array',
    minItems: 1,
    maxItems: ACTION_BATCH_MAX,
  }),
)

/** Returns the body of a batch; one without requests has an error of its own. */
export function actionBatch<T extends Record<string, TSchema>>(members: T) {
  return documentedWith(Type.Object({ requests, ...members }, closed), { required: ['requests'] })
}

/** One of several texts, or null for absent. */
export function textOrNull<T extends string>(values: readonly T[], description: string) {
  return Type.Optional(
    Type.Unsafe<T | null>({ type: ['string', 'null'], enum: [...values, null], description }),
  )
}

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
