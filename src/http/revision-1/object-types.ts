import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { baseType } from '../../ontology/definition/base-type.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import type { App } from '../app.ts'
import { serveMetadataPage } from '../page/serve-metadata-page.ts'
import { resolveOntology, resolveTypePath } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { closed, NoParameters } from '../schemas/common.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { OntologyPath, TypePath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

/** Adds `listObjectTypes`. */
export function addListObjectTypes(app: App, services: Services): void {
  app.get(
    '/api/v1/ontologies/:ontology/objectTypes',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listObjectTypes',
        summary: 'List object types (revision 1.0)',
        description: 'Ordered by API name.',
        tags: ['Revision 1.0'],
        params: OntologyPath,
        querystring: Type.Object(metadataPaging, closed),
        response: readResponses(
          Type.Object({ data: Type.Array(ObjectTypeResponse), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const definitions = definitionsByName(ontology)
      const spec = {
        endpoint: 'listObjectTypes',
        ontologyRid: ontology.rid,
        objectTypeRid: undefined,
        items: [...ontology.objectTypes.values()],
        describe: (objectType: ObjectType) =>
          describeObjectType(objectType, definitions.get(objectType.apiName)),
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listObjectTypes,
      }
      return serveMetadataPage(request, reply, spec, services)
    },
  )
}

/** Adds `getObjectType`. */
export function addGetObjectType(app: App): void {
  app.get(
    '/api/v1/ontologies/:ontology/objectTypes/:objectType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getObjectType',
        summary: 'Get an object type (revision 1.0)',
        tags: ['Revision 1.0'],
        params: TypePath,
        querystring: NoParameters,
        response: readResponses(ObjectTypeResponse),
      },
    },
    async (request, reply) => {
      const { ontology, objectType } = resolveTypePath(request, request.params)
      const definition = definitionsByName(ontology).get(objectType.apiName)
      return sendJson(reply, JSON.stringify(describeObjectType(objectType, definition)))
    },
  )
}

const ObjectTypeResponse = Type.Object({
  apiName: Type.String(),
  displayName: Type.Optional(Type.String()),
  status: Type.Enum(['ACTIVE']),
  description: Type.Optional(Type.String()),
  visibility: Type.Enum(['NORMAL']),
  primaryKey: Type.Array(Type.String(), { description: 'API name of the primary key property.' }),
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
})

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
