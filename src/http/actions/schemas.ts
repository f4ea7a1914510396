/** The parts of requests and responses that the actions of revision 1.0 and v2 share. */
import { Type } from 'typebox'
import { closed, orNull } from '../schemas/common.ts'

const ontology = Type.String({ description: 'RID or API name of the ontology.' })

export const ActionPath = Type.Object({
  ontology,
  actionType: Type.String({
    description: 'API name of the action type: `create-T`, `modify-T` or `delete-T`.',
  }),
})

export const ActionRidPath = Type.Object({ ontology, actionTypeRid: Type.String() })

const parameters = Type.Optional(
  orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: 'The values of parameters by id.' }),
  ),
)

export const ActionBody = Type.Object({ parameters }, closed)

export const requests = Type.Optional(
  orNull(Type.Array(ActionBody, { description: 'Applied together, as one commit.' })),
)

/** One of several texts, or null for absent. */
export function textOrNull<T extends string>(values: readonly T[], description: string) {
  return Type.Optional(
    Type.Unsafe<T | null>({ type: ['string', 'null'], enum: [...values, null], description }),
  )
}

const Result = Type.Enum(['VALID', 'INVALID'])

export const ValidationResponse = Type.Object({
  result: Result,
  submissionCriteria: Type.Array(
    Type.Object({ configuredFailureMessage: Type.Optional(Type.String()), result: Result }),
  ),
  parameters: Type.Record(
    Type.String(),
    Type.Object({
      result: Result,
      evaluatedConstraints: Type.Array(Type.Object({ type: Type.String() })),
      required: Type.Boolean(),
    }),
    { description: 'By id.' },
  ),
})
