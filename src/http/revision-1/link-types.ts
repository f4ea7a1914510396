import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { findLink, type LinkSide, outgoingLinks } from '../../ontology/definition/links.ts'
import type { App } from '../app.ts'
import { closed, NextPageToken, PageSize, PageToken, readResponses } from '../openapi/schemas.ts'
import { sendPage } from '../page/send-page.ts'
import { serveMetadataPage } from '../page/serve-metadata-page.ts'
import { resolveObjectType, resolveOntology } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import type { Services } from '../services.ts'

/** The links that start at an object type, revision 1.0. */
export function addLinkTypes(app: App, services: Services): void {
  const params = {
    ontology: Type.String({ description: 'RID or API name of the ontology.' }),
    objectType: Type.String({ description: 'API name of the object type.' }),
  }

  app.get(
    '/api/v1/ontologies/:ontology/objectTypes/:objectType/outgoingLinkTypes',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listOutgoingLinkTypes',
        summary: 'List the link types of an object type (revision 1.0)',
        description: 'In the order of their API names.',
        tags: ['Revision 1.0'],
        params: Type.Object(params),
        querystring: Type.Object(
          { pageSize: Type.Optional(PageSize), pageToken: Type.Optional(PageToken) },
          closed,
        ),
        response: readResponses(
          Type.Object({ data: Type.Array(LinkTypeResponse), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const { pageSize, pageToken } = request.query
      const { catalogue } = request
      const ontology = resolveOntology(catalogue, request.caller, request.params.ontology)
      const { objectType } = resolveObjectType(ontology, request.params.objectType)
      const page = serveMetadataPage(
        {
          requestId: request.id,
          endpoint: 'listOutgoingLinkTypes',
          caller: request.caller,
          ontologyRid: ontology.rid,
          objectTypeRid: objectType.rid,
          parts: outgoingLinks(ontology, objectType),
          pageToken,
          pageSize,
          maximumPageSize: PAGE_SIZES.listLinkTypes,
        },
        describeLink,
        services,
      )
      return sendPage(reply, '1.0', page, { totalCount: false })
    },
  )

  app.get(
    '/api/v1/ontologies/:ontology/objectTypes/:objectType/outgoingLinkTypes/:linkType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getOutgoingLinkType',
        summary: 'Get a link type of an object type (revision 1.0)',
        tags: ['Revision 1.0'],
        params: Type.Object({
          ...params,
          linkType: Type.String({ description: 'API name of the link.' }),
        }),
        querystring: Type.Object({}, closed),
        response: readResponses(LinkTypeResponse),
      },
    },
    async (request, reply) => {
      const { catalogue } = request
      const ontology = resolveOntology(catalogue, request.caller, request.params.ontology)
      const { objectType } = resolveObjectType(ontology, request.params.objectType)
      const link = findLink(ontology, objectType, request.params.linkType)
      return sendJson(reply, JSON.stringify(describeLink(link)))
    },
  )
}

const LinkTypeResponse = Type.Object(
  {
    apiName: Type.String(),
    displayName: Type.String(),
    status: Type.Enum(['ACTIVE']),
    objectTypeApiName: Type.String({ description: 'The object type that the link leads to.' }),
    cardinality: Type.Enum(['ONE', 'MANY']),
    foreignKeyPropertyApiName: Type.Optional(
      Type.String({ description: 'The property that holds the key of the linked object.' }),
    ),
  },
  {
    examples: [
      {
        apiName: 'country',
        displayName: 'Country',
        status: 'ACTIVE',
        objectTypeApiName: 'country',
        cardinality: 'ONE',
        foreignKeyPropertyApiName: 'countryCode',
      },
    ],
  },
)

function describeLink({ apiName, displayName, linkedType, cardinality, foreignKey }: LinkSide) {
  return {
    apiName,
    displayName,
    status: 'ACTIVE',
    objectTypeApiName: linkedType.apiName,
    cardinality,
    foreignKeyPropertyApiName: foreignKey,
  }
}
