import { Type } from 'typebox'
import { resolveTypePath } from '../../access/find-visible.ts'
import { recordShape } from '../../contract/object-record.ts'
import { closed } from '../../contract/schema-parts.ts'
import { PAGE_SIZES } from '../../paging/page-limits.ts'
import { matchAll } from '../../query/combine-queries.ts'
import { getRecord, objectNotFound } from '../../service/pages/find-object.ts'
import {
  findLinkedRecord,
  followLink,
  linkEndpoint,
  resolveLink,
} from '../../service/pages/follow-link.ts'
import { typePage } from '../../service/pages/page-spec.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import {
  ListingParameters,
  readListing,
  readSelection,
  SelectionParameter,
} from '../request/listing-parameters.ts'
import { sendObject, sendPage } from '../response/send-data.ts'
import { CountedObjectPage, ObjectPage, ObjectRecord } from '../schemas/object-records.ts'

export const revision1Objects: readonly Endpoint[] = [
  endpoint({
    route: 'GET /api/v1/ontologies/:ontology/objects/:objectType',
    config: { scope: 'api:ontologies-read', isPage: true },
    operationId: 'listObjects',
    summary: 'List objects',
    description:
      'Ordered by primary key, or by `orderBy`. A page can be shorter than `pageSize`: only an absent `nextPageToken` marks the last one. `totalCount` is the number of all objects that match.',
    querystring: ListingParameters,
    response: CountedObjectPage,
    handle: async (request, reply, services) => {
      const { ontology, objectType } = resolveTypePath(request, request.params)
      const listing = readListing(request.query, objectType, services.limits.query)
      const spec = typePage({
        ...listing,
        ontology,
        objectType,
        endpoint: 'listObjects',
        revision: '1.0',
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listObjects,
        includeTotalCount: true,
      })
      return sendPage(reply, await readObjectPage(request, spec, services))
    },
  }),
  endpoint({
    route: 'GET /api/v1/ontologies/:ontology/objects/:objectType/:primaryKey',
    config: { scope: 'api:ontologies-read', isPage: true },
    operationId: 'getObject',
    summary: 'Get an object',
    description:
      'Finds an object by its primary key. `properties` selects what is returned; all properties if it is absent.',
    querystring: Type.Object({ properties: SelectionParameter }, closed),
    response: ObjectRecord,
    handle: async (request, reply, services) => {
      const { params, context } = request
      const { objectType } = resolveTypePath(request, params)
      const record = {
        shape: recordShape('1.0', objectType.apiName),
        selection: readSelection(request.query.properties, objectType),
      }
      return sendObject(
        reply,
        await getRecord(objectType, params.primaryKey, record, context, services),
      )
    },
  }),
  endpoint({
    route: 'GET /api/v1/ontologies/:ontology/objects/:objectType/:primaryKey/links/:linkType',
    config: { scope: 'api:ontologies-read' },
    operationId: 'listLinkedObjects',
    summary: 'List linked objects',
    description:
      'Selection, order and filters apply to the linked objects. If the start object is deleted, a snapshot walk continues and any other walk ends.',
    querystring: ListingParameters,
    response: ObjectPage,
    handle: async (request, reply, services) => {
      const { ontology, link } = resolveLink(request.params, request)
      const { objectType, linkedType } = link.side
      const listing = readListing(request.query, linkedType, services.limits.query)
      const condition = await followLink(link, request.query, request.context, services)
      if (condition === undefined) throw objectNotFound(objectType, request.params.primaryKey)
      const spec = typePage({
        ...listing,
        ontology,
        objectType: linkedType,
        endpoint: linkEndpoint(link),
        revision: '1.0',
        query: matchAll([condition, listing.query]),
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listLinkedObjects,
        includeTotalCount: false,
      })
      return sendPage(reply, await readObjectPage(request, spec, services))
    },
  }),
  endpoint({
    route:
      'GET /api/v1/ontologies/:ontology/objects/:objectType/:primaryKey/links/:linkType/:linkedObjectPrimaryKey',
    config: { scope: 'api:ontologies-read' },
    operationId: 'getLinkedObject',
    summary: 'Get a linked object',
    description: 'Returns the linked object with this primary key, if the link leads to it.',
    querystring: Type.Object({ properties: SelectionParameter }, closed),
    response: ObjectRecord,
    handle: async (request, reply, services) => {
      const { link } = resolveLink(request.params, request)
      const { linkedType } = link.side
      const record = {
        shape: recordShape('1.0', linkedType.apiName),
        selection: readSelection(request.query.properties, linkedType),
      }
      const { params, context } = request
      return sendObject(reply, await findLinkedRecord(params, link, record, context, services))
    },
  }),
]
