/** Action types in v2. */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { PAGE_SIZES, RID_BATCH_MAX } from '../../contract/limits.ts'
import { type ActionType, actionTypesOf } from '../../ontology/actions/action-type.ts'
import type { App } from '../app.ts'
import { serveMetadataPage } from '../page/serve-metadata-page.ts'
import { resolveOntology, type Viewer } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { closed } from '../schemas/common.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { readResponses, responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { V2Parameters, v2Parameters } from '../v2/parameters.ts'
import { resolveActionType } from './apply-actions.ts'
import { ActionTypeV2Response, describeActionTypeV2 } from './describe-action-type.ts'
import { ActionPath, ActionRidPath } from './schemas.ts'

const PATH = '/api/v2/ontologies/:ontology/actionTypes'
const tags = ['v2']
const config = { scope: 'api:ontologies-read' } as const

/** Adds the endpoints of action types. */
export function addV2ActionTypes(app: App, services: Services): void {
  addList(app, services)
  addGet(app)
  addGetByRid(app)
}

function addList(app: App, services: Services): void {
  app.get(
    PATH,
    {
      config,
      schema: {
        operationId: 'listActionTypesV2',
        summary: 'List action types (v2)',
        description: 'Ordered by API name. Each object type has three: create, modify and delete.',
        tags,
        params: OntologyPath,
        querystring: v2Parameters(metadataPaging),
        response: readResponses(
          Type.Object({ data: Type.Array(ActionTypeV2Response), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const spec = {
        endpoint: 'listActionTypesV2',
        ontologyRid: ontology.rid,
        objectTypeRid: undefined,
        items: actionTypesOf(ontology),
        describe: describeActionTypeV2,
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listActionTypes,
      }
      return serveMetadataPage(request, reply, spec, services)
    },
  )
}

function addGet(app: App): void {
  app.get(
    `${PATH}/:actionType`,
    {
      config,
      schema: {
        operationId: 'getActionTypeV2',
        summary: 'Get an action type (v2)',
        tags,
        params: ActionPath,
        querystring: V2Parameters,
        response: readResponses(ActionTypeV2Response),
      },
    },
    async (request, reply) =>
      sendJson(reply, JSON.stringify(describeActionTypeV2(resolveActionType(request)))),
  )
}

function addGetByRid(app: App): void {
  app.get(
    `${PATH}/byRid/:actionTypeRid`,
    {
      config,
      schema: {
        operationId: 'getActionTypeByRidV2',
        summary: 'Get an action type by RID (v2)',
        tags,
        params: ActionRidPath,
        querystring: V2Parameters,
        response: readResponses(ActionTypeV2Response),
      },
    },
    async (request, reply) => {
      const { actionTypeRid: rid } = request.params
      const actionType = typesByRid(request).get(rid)
      if (actionType === undefined) throw new ObjectQueryError('ActionTypeNotFound', { rid })
      return sendJson(reply, JSON.stringify(describeActionTypeV2(actionType)))
    },
  )

  app.post(
    `${PATH}/getByRidBatch`,
    {
      config,
      schema: {
        operationId: 'getActionTypesByRidV2',
        summary: 'Get several action types by RID (v2)',
        description: 'Returns those that exist, in the order of the request.',
        tags,
        params: OntologyPath,
        querystring: V2Parameters,
        body: Type.Object(
          { requests: Type.Array(Type.Object({ actionTypeRid: Type.String() }, closed)) },
          closed,
        ),
        response: responses(Type.Object({ data: Type.Array(ActionTypeV2Response) })),
      },
    },
    async (request) => {
      const { requests } = request.body
      if (requests.length > RID_BATCH_MAX) {
        throw new ObjectQueryError('BatchRequestSizeExceededLimit', {
          maximumBatchSize: RID_BATCH_MAX,
          providedBatchSize: requests.length,
        })
      }
      const types = typesByRid(request)
      const found = requests.flatMap(({ actionTypeRid }) => types.get(actionTypeRid) ?? [])
      return { data: found.map(describeActionTypeV2) }
    },
  )
}

interface OntologyRequest extends Viewer {
  readonly params: { readonly ontology: string }
}

function typesByRid({
  catalogue,
  caller,
  params,
}: OntologyRequest): ReadonlyMap<string, ActionType> {
  const ontology = resolveOntology(catalogue, caller, params.ontology)
  return new Map(actionTypesOf(ontology).map((actionType) => [actionType.rid, actionType]))
}
