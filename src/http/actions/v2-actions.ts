/** Actions in v2. */
import { Type } from 'typebox'
import { requireScope } from '../../access/caller.ts'
import { ACTION_BATCH_MAX } from '../../contract/limits.ts'
import { closed, optional } from '../../contract/schema-parts.ts'
import { missingParameters } from '../../service/actions/prepare-action.ts'
import { describeValidation, validateAction } from '../../service/actions/validate-action.ts'
import { endpoint } from '../endpoint.ts'
import { KEYED } from '../request/write-guards.ts'
import { describeEdits, EditsResponse } from './action-edits.ts'
import { applyRequested, applyRequestedBatch, resolveActionType } from './action-request.ts'
import { ActionBody, actionBatch, textOrNull, ValidationResponse } from './action-schemas.ts'

const PATH = '/api/v2/ontologies/:ontology/actions/:actionType'
const config = { scope: 'api:ontologies-write', writes: KEYED } as const

const ApplyOptions = Type.Object(
  {
    mode: textOrNull(['VALIDATE_ONLY', 'VALIDATE_AND_EXECUTE'], 'Default: `VALIDATE_AND_EXECUTE`.'),
    returnEdits: textOrNull(
      ['NONE', 'ALL', 'ALL_V2_WITH_DELETIONS'],
      'Whether the response lists the edits. Default: `NONE`.',
    ),
  },
  closed,
)

const BatchOptions = Type.Object(
  { returnEdits: textOrNull(['NONE', 'ALL'], 'Default: `NONE`.') },
  closed,
)

export const applyActionV2 = endpoint({
  route: `POST ${PATH}/apply`,
  config,
  operationId: 'applyActionV2',
  summary: 'Apply or validate an action',
  description:
    'Applies the action as one commit. If required parameters are missing, `validation.result` is `INVALID` and nothing is written. Requires both scopes.',
  body: Type.Object({ ...ActionBody.properties, options: optional(ApplyOptions) }, closed),
  response: Type.Object({
    validation: Type.Optional(ValidationResponse),
    edits: Type.Optional(EditsResponse),
  }),
  handle: async (request, reply, services) => {
    const { parameters, options } = request.body
    const values = parameters ?? {}
    const actionType = resolveActionType(request)
    if (options?.mode === 'VALIDATE_ONLY') {
      return { validation: await validateAction(actionType, values, request.context, services) }
    }
    requireScope(request.caller, 'api:ontologies-read')
    const missing = missingParameters(actionType, values)
    if (missing.length > 0) return { validation: describeValidation(actionType, missing) }
    const { actions } = await applyRequested(request, reply, [values], services)
    const validation = describeValidation(actionType, [])
    const returned = options?.returnEdits ?? 'NONE'
    if (returned === 'NONE') return { validation }
    const listDeletions = returned === 'ALL_V2_WITH_DELETIONS'
    return { validation, edits: describeEdits(actions, listDeletions) }
  },
})

export const applyActionBatchV2 = endpoint({
  route: `POST ${PATH}/applyBatch`,
  config,
  operationId: 'applyActionBatchV2',
  summary: `Apply up to ${ACTION_BATCH_MAX} actions of one type`,
  description: 'Applies all actions as one commit, or none. Requires both scopes.',
  body: actionBatch({ options: optional(BatchOptions) }),
  response: Type.Object({ edits: Type.Optional(EditsResponse) }),
  handle: async (request, reply, services) => {
    const { actions } = await applyRequestedBatch(request, reply, services)
    if ((request.body.options?.returnEdits ?? 'NONE') === 'NONE') return {}
    return { edits: describeEdits(actions, false) }
  },
})
