import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { baseType } from '../../ontology/definition/base-type.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import type { App } from '../app.ts'
import { closed, NextPageToken, PageSize, PageToken, readResponses } from '../openapi/schemas.ts'
import { sendPage } from '../page/send-page.ts'
import { serveMetadataPage } from '../page/serve-metadata-page.ts'
import { resolveObjectType, resolveOntology } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import type { Services } from '../services.ts'

/** The object types of an ontology, revision 1.0. */
export function addObjectTypes(app: App, services: Services): void {
  const ontologyParam = Type.String({ description: 'RID or API name of the ontology.' })

  app.get(
    '/api/v1/ontologies/:ontology/objectTypes',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listObjectTypes',
        summary: 'List object types (revision 1.0)',
        description: 'In the order of their API names.',
        tags: ['Revision 1.0'],
        params: Type.Object({ ontology: ontologyParam }),
        querystring: Type.Object(
          { pageSize: Type.Optional(PageSize), pageToken: Type.Optional(PageToken) },
          closed,
        ),
        response: readResponses(
          Type.Object({ data: Type.Array(ObjectTypeResponse), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const { pageSize, pageToken } = request.query
      const { catalogue } = request
      const ontology = resolveOntology(catalogue, request.caller, request.params.ontology)
      const definitions = definitionsByName(ontology)
      const page = serveMetadataPage(
        {
          requestId: request.id,
          endpoint: 'listObjectTypes',
          caller: request.caller,
          ontologyRid: ontology.rid,
          objectTypeRid: undefined,
          parts: [...ontology.objectTypes.values()],
          pageToken,
          pageSize,
          maximumPageSize: PAGE_SIZES.listObjectTypes,
        },
        (objectType) => describeObjectType(objectType, definitions.get(objectType.apiName)),
        services,
      )
      return sendPage(reply, '1.0', page, { totalCount: false })
    },
  )

  app.get(
    '/api/v1/ontologies/:ontology/objectTypes/:objectType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getObjectType',
        summary: 'Get an object type (revision 1.0)',
        tags: ['Revision 1.0'],
        params: Type.Object({
          ontology: ontologyParam,
          objectType: Type.String({ description: 'API name of the object type.' }),
        }),
        querystring: Type.Object({}, closed),
        response: readResponses(ObjectTypeResponse),
      },
    },
    async (request, reply) => {
      const { catalogue } = request
      const ontology = resolveOntology(catalogue, request.caller, request.params.ontology)
      const { objectType } = resolveObjectType(ontology, request.params.objectType)
      const definition = definitionsByName(ontology).get(objectType.apiName)
      return sendJson(reply, JSON.stringify(describeObjectType(objectType, definition)))
    },
  )
}

const ObjectTypeResponse = Type.Object(
  {
    apiName: Type.String(),
    displayName: Type.Optional(Type.String()),
    status: Type.Enum(['ACTIVE']),
    description: Type.Optional(Type.String()),
    visibility: Type.Enum(['NORMAL']),
    primaryKey: Type.Array(Type.String(), { description: 'The API name of the one key property.' }),
    properties: Type.Record(
      Type.String(),
      Type.Object({
        description: Type.Optional(Type.String()),
        displayName: Type.Optional(Type.String()),
        baseType: Type.String({ description: 'The type, such as `String` or `Array<LocalDate>`.' }),
      }),
      { description: 'By API name.' },
    ),
    rid: Type.String(),
  },
  {
    examples: [
      {
        apiName: 'airport',
        displayName: 'Airport',
        status: 'ACTIVE',
        visibility: 'NORMAL',
        primaryKey: ['id'],
        properties: { id: { baseType: 'String' }, aliases: { baseType: 'Array<String>' } },
        rid: 'ri.ontology.main.object-type.0b6a7f55-7f0e-4e58-8f3e-6f6b2f6f2d11',
      },
    ],
  },
)

function definitionsByName({ definition }: Ontology): ReadonlyMap<string, ObjectTypeDefinition> {
  return new Map(definition.objectTypes.map((type) => [type.apiName, type]))
}

function describeObjectType(
  { apiName, rid, primaryKey, properties }: ObjectType,
  definition: ObjectTypeDefinition | undefined,
) {
  return {
    apiName,
    displayName: definition?.displayName,
    status: 'ACTIVE',
    description: definition?.description,
    visibility: 'NORMAL',
    primaryKey: [primaryKey.apiName],
    properties: Object.fromEntries(
      [...properties].map(([name, { type }]) => {
        const { description, displayName } = definition?.properties[name] ?? {}
        return [name, { description, displayName, baseType: baseType(type) }]
      }),
    ),
    rid,
  }
}
