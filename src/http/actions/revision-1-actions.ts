/** Actions in revision 1.0. */
import { Type } from 'typebox'
import { ACTION_BATCH_MAX } from '../../contract/limits.ts'
import { closed } from '../../contract/schema-parts.ts'
import { validateAction } from '../../service/actions/validate-action.ts'
import type { App } from '../app.ts'
import { KEYED } from '../request/write-guards.ts'
import { NoParameters } from '../schemas/common.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { applyRequested, applyRequestedBatch, resolveActionType } from './action-request.ts'
import { ActionBody, ActionPath, actionBatch, ValidationResponse } from './action-schemas.ts'
import { addActionTypes } from './action-types.ts'

const ACTIONS = '/api/v1/ontologies/:ontology/actions/:actionType'
const tags = ['Revision 1.0']
const read = { scope: 'api:ontologies-read', writes: 'nothing' } as const
const write = { scope: 'api:ontologies-write', writes: KEYED } as const
const NoMembers = Type.Object({}, closed)

/** Adds the endpoints of action types and actions. */
export function addActions(app: App, services: Services): void {
  addActionTypes(app, services)
  addApply(app, services)
  addValidate(app, services)
}

function addApply(app: App, services: Services): void {
  app.post(
    `${ACTIONS}/apply`,
    {
      config: write,
      schema: {
        operationId: 'applyAction',
        summary: 'Apply an action (revision 1.0)',
        description: 'Applies the action as one commit. Requires both scopes.',
        tags,
        params: ActionPath,
        querystring: NoParameters,
        body: ActionBody,
        response: responses(NoMembers),
      },
    },
    async (request, reply) => {
      await applyRequested(request, reply, [request.body.parameters ?? {}], services)
      return {}
    },
  )

  app.post(
    `${ACTIONS}/applyBatch`,
    {
      config: write,
      schema: {
        operationId: 'applyActionBatch',
        summary: `Apply up to ${ACTION_BATCH_MAX} actions of one type (revision 1.0)`,
        description: 'Applies all actions as one commit, or none. Requires both scopes.',
        tags,
        params: ActionPath,
        querystring: NoParameters,
        body: actionBatch({}),
        response: responses(NoMembers),
      },
    },
    async (request, reply) => {
      await applyRequestedBatch(request, reply, services)
      return {}
    },
  )
}

function addValidate(app: App, services: Services): void {
  app.post(
    `${ACTIONS}/validate`,
    {
      config: read,
      schema: {
        operationId: 'validateAction',
        summary: 'Validate an action (revision 1.0)',
        description: 'Checks whether the action could be applied now. Writes nothing.',
        tags,
        params: ActionPath,
        querystring: NoParameters,
        body: ActionBody,
        response: responses(ValidationResponse),
      },
    },
    async (request) => {
      const { body, context } = request
      return validateAction(resolveActionType(request), body.parameters ?? {}, context, services)
    },
  )
}
