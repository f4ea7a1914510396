import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { findLink, outgoingLinks } from '../../ontology/definition/links.ts'
import type { App } from '../app.ts'
import { serveMetadataPage } from '../page/serve-metadata-page.ts'
import { resolveTypePath } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { LinkTypePath, TypePath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { describeLink, LinkTypeResponse } from './metadata.ts'
import { V2Parameters, v2Parameters } from './parameters.ts'

/** Adds `listOutgoingLinkTypesV2`. */
export function addListLinkTypes(app: App, services: Services): void {
  app.get(
    '/api/v2/ontologies/:ontology/objectTypes/:objectType/outgoingLinkTypes',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listOutgoingLinkTypesV2',
        summary: 'List the link types of an object type (v2)',
        description: 'Ordered by API name.',
        tags: ['v2'],
        params: TypePath,
        querystring: v2Parameters(metadataPaging),
        response: readResponses(
          Type.Object({ data: Type.Array(LinkTypeResponse), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const { ontology, objectType } = resolveTypePath(request, request.params)
      const spec = {
        endpoint: 'listOutgoingLinkTypesV2',
        ontologyRid: ontology.rid,
        objectTypeRid: objectType.rid,
        items: outgoingLinks(ontology, objectType),
        describe: describeLink,
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listLinkTypes,
      }
      return serveMetadataPage(request, reply, spec, services)
    },
  )
}

/** Adds `getOutgoingLinkTypeV2`. */
export function addGetLinkType(app: App): void {
  app.get(
    '/api/v2/ontologies/:ontology/objectTypes/:objectType/outgoingLinkTypes/:linkType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getOutgoingLinkTypeV2',
        summary: 'Get a link type of an object type (v2)',
        tags: ['v2'],
        params: LinkTypePath,
        querystring: V2Parameters,
        response: readResponses(LinkTypeResponse),
      },
    },
    async (request, reply) => {
      const { ontology, objectType } = resolveTypePath(request, request.params)
      const link = findLink(ontology, objectType, request.params.linkType)
      return sendJson(reply, JSON.stringify(describeLink(link)))
    },
  )
}
