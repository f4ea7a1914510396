import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { BATCH_GET_MAX, PAGE_SIZES } from '../../contract/limits.ts'
import type { App } from '../app.ts'
import { serveMetadataPage } from '../page/serve-metadata-page.ts'
import { resolveOntology, resolveTypePath } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { closed } from '../schemas/common.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { OntologyPath, TypePath } from '../schemas/paths.ts'
import { readResponses, responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import {
  FullObjectTypeResponse,
  fullObjectTypeDescriber,
  ObjectTypeResponse,
  objectTypeDescriber,
} from './metadata.ts'
import { V2Parameters, v2Parameters } from './parameters.ts'

/** Adds `listObjectTypesV2`. */
export function addListObjectTypes(app: App, services: Services): void {
  app.get(
    '/api/v2/ontologies/:ontology/objectTypes',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listObjectTypesV2',
        summary: 'List object types (v2)',
        description: 'Ordered by API name.',
        tags: ['v2'],
        params: OntologyPath,
        querystring: v2Parameters(metadataPaging),
        response: readResponses(
          Type.Object({ data: Type.Array(ObjectTypeResponse), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const spec = {
        endpoint: 'listObjectTypesV2',
        ontologyRid: ontology.rid,
        objectTypeRid: undefined,
        items: [...ontology.objectTypes.values()],
        describe: objectTypeDescriber(ontology),
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listObjectTypes,
      }
      return serveMetadataPage(request, reply, spec, services)
    },
  )
}

/** Adds `getObjectTypeV2`. */
export function addGetObjectType(app: App): void {
  app.get(
    '/api/v2/ontologies/:ontology/objectTypes/:objectType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getObjectTypeV2',
        summary: 'Get an object type (v2)',
        tags: ['v2'],
        params: TypePath,
        querystring: V2Parameters,
        response: readResponses(ObjectTypeResponse),
      },
    },
    async (request, reply) => {
      const { ontology, objectType } = resolveTypePath(request, request.params)
      return sendJson(reply, JSON.stringify(objectTypeDescriber(ontology)(objectType)))
    },
  )
}

/** Adds `getObjectTypeFullMetadata`. */
export function addGetFullObjectType(app: App): void {
  app.get(
    '/api/v2/ontologies/:ontology/objectTypes/:objectType/fullMetadata',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getObjectTypeFullMetadata',
        summary: 'Get an object type with its links and interfaces (v2)',
        tags: ['v2'],
        params: TypePath,
        querystring: V2Parameters,
        response: readResponses(FullObjectTypeResponse),
      },
    },
    async (request, reply) => {
      const { ontology, objectType } = resolveTypePath(request, request.params)
      return sendJson(reply, JSON.stringify(fullObjectTypeDescriber(ontology)(objectType)))
    },
  )
}

/** Adds `getObjectTypesByRid`. */
export function addGetObjectTypesByRid(app: App): void {
  app.post(
    '/api/v2/ontologies/:ontology/objectTypes/getByRidBatch',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getObjectTypesByRid',
        summary: 'Get object types by RID (v2)',
        description: `At most ${BATCH_GET_MAX} per request. Object types that do not exist are absent from the response.`,
        tags: ['v2'],
        params: OntologyPath,
        querystring: V2Parameters,
        body: RidBatch,
        response: responses(Type.Object({ data: Type.Array(ObjectTypeResponse) })),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const { requests } = request.body
      checkBatchSize(requests.length)
      const describe = objectTypeDescriber(ontology)
      const byRid = new Map([...ontology.objectTypes.values()].map((type) => [type.rid, type]))
      const data = requests.flatMap(({ objectTypeRid }) => {
        const objectType = byRid.get(objectTypeRid)
        return objectType === undefined ? [] : [describe(objectType)]
      })
      return sendJson(reply, JSON.stringify({ data }))
    },
  )
}

const RidBatch = Type.Object(
  { requests: Type.Array(Type.Object({ objectTypeRid: Type.String() }, closed)) },
  closed,
)

function checkBatchSize(providedBatchSize: number): void {
  if (providedBatchSize === 0) throw new ObjectQueryError('MissingBatchRequest')
  if (providedBatchSize > BATCH_GET_MAX) {
    throw new ObjectQueryError('BatchRequestSizeExceededLimit', {
      maximumBatchSize: BATCH_GET_MAX,
      providedBatchSize,
    })
  }
}
