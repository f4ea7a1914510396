import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { recordShape } from '../../contract/object-record.ts'
import { closed } from '../../contract/schema-parts.ts'
import { matchAll } from '../../query/combine-queries.ts'
import { objectNotFound } from '../../service/pages/find-object.ts'
import { findLinkedRecord, followLink, linkEndpoint } from '../../service/pages/follow-link.ts'
import type { App } from '../app.ts'
import {
  ListingParameters,
  readListing,
  readSelection,
  SelectionParameter,
} from '../page/listing-parameters.ts'
import { resolveLink } from '../page/resolve-link.ts'
import { servePage } from '../page/serve-page.ts'
import { sendJson } from '../response/send-json.ts'
import { LinkedObjectPath, LinkedObjectsPath } from '../schemas/paths.ts'
import { ObjectPage, ObjectRecord } from '../schemas/records.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

/** Adds `listLinkedObjects`. */
export function addListLinkedObjects(app: App, services: Services): void {
  app.get(
    '/api/v1/ontologies/:ontology/objects/:objectType/:primaryKey/links/:linkType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listLinkedObjects',
        summary: 'List linked objects (revision 1.0)',
        description:
          'Selection, order and filters apply to the linked objects. If the start object is deleted, a snapshot walk continues and any other walk ends.',
        tags: ['Revision 1.0'],
        params: LinkedObjectsPath,
        querystring: ListingParameters,
        response: readResponses(ObjectPage),
      },
    },
    async (request, reply) => {
      const { ontology, link } = resolveLink(request.params, request)
      const { objectType, linkedType } = link.side
      const listing = readListing(request.query, linkedType, services.limits.query)
      const condition = await followLink(link, request.query, request.context, services)
      if (condition === undefined) throw objectNotFound(objectType, request.params.primaryKey)
      const spec = {
        ...listing,
        ontology,
        objectType: linkedType,
        endpoint: linkEndpoint(link),
        revision: '1.0',
        query: matchAll([condition, listing.query]),
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listLinkedObjects,
        includeTotalCount: false,
      } as const
      return servePage(request, reply, spec, services)
    },
  )
}

/** Adds `getLinkedObject`. */
export function addGetLinkedObject(app: App, services: Services): void {
  app.get(
    '/api/v1/ontologies/:ontology/objects/:objectType/:primaryKey/links/:linkType/:linkedObjectPrimaryKey',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getLinkedObject',
        summary: 'Get a linked object (revision 1.0)',
        tags: ['Revision 1.0'],
        params: LinkedObjectPath,
        querystring: Type.Object({ properties: SelectionParameter }, closed),
        response: readResponses(ObjectRecord),
      },
    },
    async (request, reply) => {
      const { link } = resolveLink(request.params, request)
      const { linkedType } = link.side
      const record = {
        shape: recordShape('1.0', linkedType.apiName),
        selection: readSelection(request.query.properties, linkedType),
      }
      const { params, context } = request
      return sendJson(reply, await findLinkedRecord(params, link, record, context, services))
    },
  )
}
