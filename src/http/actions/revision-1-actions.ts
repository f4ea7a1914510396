/** Actions in revision 1.0. */
import { Type } from 'typebox'
import { ACTION_BATCH_MAX } from '../../contract/limits.ts'
import { closed, NoParameters } from '../../contract/schema-parts.ts'
import { validateAction as validate } from '../../service/actions/validate-action.ts'
import { creationBy } from '../../service/writes/creation.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { KEYED } from '../request/declare-guards.ts'
import { applyRequested, applyRequestedBatch, resolveActionType } from './action-request.ts'
import { ActionBody, actionBatch, Validation } from './action-schemas.ts'

const ACTIONS = '/api/v1/ontologies/:ontology/actions/:actionType'
const read = { scope: 'api:ontologies-read', writes: 'nothing' } as const
const write = { scope: 'api:ontologies-write', writes: KEYED } as const
const NoMembers = Type.Object({}, closed)

export const revision1Actions: readonly Endpoint[] = [
  endpoint({
    route: `POST ${ACTIONS}/apply`,
    config: write,
    operationId: 'applyAction',
    summary: 'Apply an action',
    description: 'Applies the action as one commit. Requires both scopes.',
    querystring: NoParameters,
    body: ActionBody,
    response: NoMembers,
    handle: async (request, reply, services) => {
      await applyRequested(request, reply, [request.body.parameters ?? {}], services)
      return {}
    },
  }),
  endpoint({
    route: `POST ${ACTIONS}/applyBatch`,
    config: write,
    operationId: 'applyActionBatch',
    summary: `Apply up to ${ACTION_BATCH_MAX} actions of one type`,
    description: 'Applies all actions as one commit, or none. Requires both scopes.',
    querystring: NoParameters,
    body: actionBatch({}),
    response: NoMembers,
    handle: async (request, reply, services) => {
      await applyRequestedBatch(request, reply, services)
      return {}
    },
  }),
  endpoint({
    route: `POST ${ACTIONS}/validate`,
    config: read,
    operationId: 'validateAction',
    summary: 'Validate an action',
    description: 'Checks whether the action could be applied now. Writes nothing.',
    querystring: NoParameters,
    body: ActionBody,
    response: Validation,
    handle: async (request, _reply, services) => {
      const { body, context, caller } = request
      const options = { creation: creationBy(caller, services), context }
      return validate(resolveActionType(request), body.parameters ?? {}, options, services)
    },
  }),
]
