import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { findLink, outgoingLinks } from '../../ontology/definition/links.ts'
import type { App } from '../app.ts'
import { serveMetadataPage } from '../page/serve-metadata-page.ts'
import { resolveTypePath } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { closed, NoParameters } from '../schemas/common.ts'
import { describeLink, LinkTypeResponse } from '../schemas/metadata.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { LinkTypePath, TypePath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

/** Adds `listOutgoingLinkTypes`. */
export function addListLinkTypes(app: App, services: Services): void {
  app.get(
    '/api/v1/ontologies/:ontology/objectTypes/:objectType/outgoingLinkTypes',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listOutgoingLinkTypes',
        summary: 'List the link types of an object type (revision 1.0)',
        description: 'Ordered by API name.',
        tags: ['Revision 1.0'],
        params: TypePath,
        querystring: Type.Object(metadataPaging, closed),
        response: readResponses(
          Type.Object({ data: Type.Array(LinkTypeResponse), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const { ontology, objectType } = resolveTypePath(request, request.params)
      const spec = {
        endpoint: 'listOutgoingLinkTypes',
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

/** Adds `getOutgoingLinkType`. */
export function addGetLinkType(app: App): void {
  app.get(
    '/api/v1/ontologies/:ontology/objectTypes/:objectType/outgoingLinkTypes/:linkType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getOutgoingLinkType',
        summary: 'Get a link type of an object type (revision 1.0)',
        tags: ['Revision 1.0'],
        params: LinkTypePath,
        querystring: NoParameters,
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
