/** Actions in revision 1.0. */
import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { actionTypesOf } from '../../ontology/actions/action-type.ts'
import type { App } from '../app.ts'
import { serveMetadataPage } from '../page/serve-metadata-page.ts'
import { repeatHeaders } from '../request/idempotency-key.ts'
import { resolveOntology } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { closed, NoParameters } from '../schemas/common.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { readResponses, responses } from '../schemas/responses.ts'
import { RepeatHeaders } from '../schemas/write-headers.ts'
import type { Services } from '../services.ts'
import {
  applyActions,
  isApplied,
  refuseBatchSize,
  resolveActionType,
  validationFailed,
} from './apply-actions.ts'
import { ActionTypeResponse, describeActionType } from './describe-action-type.ts'
import { ActionBody, ActionPath, requests, ValidationResponse } from './schemas.ts'
import { validateAction } from './validate-action.ts'

const TYPES = '/api/v1/ontologies/:ontology/actionTypes'
const ACTIONS = '/api/v1/ontologies/:ontology/actions/:actionType'
const tags = ['Revision 1.0']
const read = { scope: 'api:ontologies-read' } as const
const write = { scope: 'api:ontologies-write' } as const
const NoMembers = Type.Object({}, closed)

/** Adds the endpoints of action types and actions. */
export function addActions(app: App, services: Services): void {
  addActionTypes(app, services)
  addApply(app, services)
  addValidate(app, services)
}

function addActionTypes(app: App, services: Services): void {
  app.get(
    TYPES,
    {
      config: read,
      schema: {
        operationId: 'listActionTypes',
        summary: 'List action types (revision 1.0)',
        description: 'Ordered by API name. Each object type has three: create, modify and delete.',
        tags,
        params: OntologyPath,
        querystring: Type.Object(metadataPaging, closed),
        response: readResponses(
          Type.Object({ data: Type.Array(ActionTypeResponse), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const spec = {
        endpoint: 'listActionTypes',
        ontologyRid: ontology.rid,
        objectTypeRid: undefined,
        items: actionTypesOf(ontology),
        describe: describeActionType,
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listActionTypes,
      }
      return serveMetadataPage(request, reply, spec, services)
    },
  )

  app.get(
    `${TYPES}/:actionType`,
    {
      config: read,
      schema: {
        operationId: 'getActionType',
        summary: 'Get an action type (revision 1.0)',
        tags,
        params: ActionPath,
        querystring: NoParameters,
        response: readResponses(ActionTypeResponse),
      },
    },
    async (request, reply) =>
      sendJson(reply, JSON.stringify(describeActionType(resolveActionType(request)))),
  )
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
        headers: RepeatHeaders,
        body: ActionBody,
        response: responses(NoMembers),
      },
    },
    async (request, reply) => {
      const applied = await applyActions(request, [request.body.parameters ?? {}], services)
      if (!isApplied(applied)) throw validationFailed(request, applied)
      reply.headers(repeatHeaders(applied.commit))
      return {}
    },
  )

  app.post(
    `${ACTIONS}/applyBatch`,
    {
      config: write,
      schema: {
        operationId: 'applyActionBatch',
        summary: 'Apply up to 20 actions of one type (revision 1.0)',
        description: 'Applies all actions as one commit, or none. Requires both scopes.',
        tags,
        params: ActionPath,
        querystring: NoParameters,
        headers: RepeatHeaders,
        body: Type.Object({ requests }, closed),
        response: responses(NoMembers),
      },
    },
    async (request, reply) => {
      const batch = request.body.requests ?? []
      refuseBatchSize(batch)
      const values = batch.map(({ parameters }) => parameters ?? {})
      const applied = await applyActions(request, values, services)
      if (!isApplied(applied)) throw validationFailed(request, applied)
      reply.headers(repeatHeaders(applied.commit))
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
    async (request) => validateAction(request, request.body.parameters ?? {}, services),
  )
}
