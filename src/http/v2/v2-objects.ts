import { Type } from 'typebox'
import { resolveTypePath } from '../../access/find-visible.ts'
import { flatRecordShape } from '../../contract/object-record.ts'
import { closed } from '../../contract/schema-parts.ts'
import { V2_PAGE_SIZES } from '../../paging/page-limits.ts'
import { parseSelection } from '../../query/parse/selection-v2.ts'
import { getRecord, objectNotFound } from '../../service/pages/find-object.ts'
import {
  findLinkedRecord,
  followLink,
  linkEndpoint,
  resolveLink,
} from '../../service/pages/follow-link.ts'
import { typePage } from '../../service/pages/page-spec.ts'
import { countObjectsOf } from '../../service/pages/probe-request.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { readSelection } from '../request/listing-parameters.ts'
import { sendJson, sendObject, sendPage } from '../response/send-data.ts'
import { pageMembers, parseWhere, readOrder, where } from './body-members.ts'
import { ListParameters, listPage, RecordParameters, readOrderText } from './list-parameters.ts'
import { CountedFlatPage, FlatPage, FlatRecord } from './v2-records.ts'

const SearchBody = Type.Object({ where, ...pageMembers }, closed)

const DESCRIPTION = `
Returns the objects that match \`where\`, or every object without it.

With \`"orderBy": {"orderType": "relevance"}\`, the best matches of the text conditions come first, and
objects have a \`__score\`, the number of their tier, which is higher for better matches and comparable
within one query. From best to worst:

1. All text conditions match as a phrase: their terms follow each other.
2. All text conditions match with all their terms, as they are written.
3. Of several text conditions, at least one matches with all its terms. Of up to five terms of a
   single condition, all but one match, then all but two, and so on.
4. Other matches: by one term, by other forms of a term, by similar terms or by a prefix.

Within a tier, objects are ordered by BM25, then by primary key; a very large tier is ordered by
primary key alone. Conditions inside \`not\` do not count.
`

export const v2Objects: readonly Endpoint[] = [
  endpoint({
    route: 'GET /api/v2/ontologies/:ontology/objects/:objectType',
    config: { scope: 'api:ontologies-read', isPage: true },
    operationId: 'listObjectsV2',
    summary: 'List objects',
    description: `Pages of ${V2_PAGE_SIZES.default} objects by default and of ${V2_PAGE_SIZES.maximum} at most. A page can be shorter: only an absent \`nextPageToken\` marks the last one.`,
    querystring: ListParameters,
    response: CountedFlatPage,
    handle: async (request, reply, services) => {
      const spec = listPage(resolveTypePath(request, request.params), request.query)
      return sendPage(reply, await readObjectPage(request, spec, services))
    },
  }),
  endpoint({
    route: 'GET /api/v2/ontologies/:ontology/objects/:objectType/:primaryKey',
    config: { scope: 'api:ontologies-read', isPage: true },
    operationId: 'getObjectV2',
    summary: 'Get an object',
    description:
      'Finds an object by its primary key. `select` names the properties to return; all if it is absent.',
    querystring: RecordParameters,
    response: FlatRecord,
    handle: async (request, reply, services) => {
      const { params, context } = request
      const { select, excludeRid = false } = request.query
      const { objectType } = resolveTypePath(request, params)
      const record = {
        shape: flatRecordShape(objectType, { excludeRid }),
        selection: readSelection(select, objectType),
      }
      return sendObject(
        reply,
        await getRecord(objectType, params.primaryKey, record, context, services),
      )
    },
  }),
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objects/:objectType/count',
    config: { scope: 'api:ontologies-read', writes: 'nothing' },
    operationId: 'countObjects',
    summary: 'Count objects',
    description: 'The number of current objects of a type. The request has no body.',
    response: Type.Object({ count: Type.Integer() }),
    handle: async (request, reply, services) => {
      const { objectType } = resolveTypePath(request, request.params)
      const { context } = request
      const count = await countObjectsOf(objectType, context, services)
      context.noteRead([objectType], 0)
      return sendJson(reply, JSON.stringify({ count }))
    },
  }),
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objects/:objectType/search',
    config: { scope: 'api:ontologies-read', writes: 'nothing', isPage: true },
    operationId: 'searchObjectsV2',
    summary: 'Search objects',
    description: DESCRIPTION,
    body: SearchBody,
    response: CountedFlatPage,
    handle: async (request, reply, services) => {
      const { body } = request
      const { ontology, objectType } = resolveTypePath(request, request.params)
      const spec = typePage({
        ontology,
        objectType,
        revision: 'v2',
        endpoint: 'searchObjects',
        query: parseWhere(body.where, { ontology, objectType }, services.limits.query),
        ...readOrder(body.orderBy, objectType),
        selection: parseSelection(body, objectType),
        excludeRid: body.excludeRid ?? false,
        paging: body,
        includeTotalCount: true,
      })
      return sendPage(reply, await readObjectPage(request, spec, services))
    },
  }),
  endpoint({
    route: 'GET /api/v2/ontologies/:ontology/objects/:objectType/:primaryKey/links/:linkType',
    config: { scope: 'api:ontologies-read' },
    operationId: 'listLinkedObjectsV2',
    summary: 'List linked objects',
    description:
      'Selection and order apply to the linked objects. If the start object is deleted, a snapshot walk continues and any other walk ends.',
    querystring: ListParameters,
    response: FlatPage,
    handle: async (request, reply, services) => {
      const { ontology, link } = resolveLink(request.params, request)
      const { objectType, linkedType } = link.side
      const { select, orderBy, excludeRid = false } = request.query
      const order = readOrderText(orderBy, linkedType)
      const selection = readSelection(select, linkedType)
      const query = await followLink(link, request.query, request.context, services)
      if (query === undefined) throw objectNotFound(objectType, request.params.primaryKey)
      const spec = typePage({
        ontology,
        objectType: linkedType,
        endpoint: linkEndpoint(link),
        revision: 'v2',
        query,
        order,
        selection,
        excludeRid,
        paging: request.query,
        includeTotalCount: false,
      })
      return sendPage(reply, await readObjectPage(request, spec, services))
    },
  }),
  endpoint({
    route:
      'GET /api/v2/ontologies/:ontology/objects/:objectType/:primaryKey/links/:linkType/:linkedObjectPrimaryKey',
    config: { scope: 'api:ontologies-read' },
    operationId: 'getLinkedObjectV2',
    summary: 'Get a linked object',
    description: 'Returns the linked object with this primary key, if the link leads to it.',
    querystring: RecordParameters,
    response: FlatRecord,
    handle: async (request, reply, services) => {
      const { select, excludeRid = false } = request.query
      const { link } = resolveLink(request.params, request)
      const { linkedType } = link.side
      const record = {
        shape: flatRecordShape(linkedType, { excludeRid }),
        selection: readSelection(select, linkedType),
      }
      const { params, context } = request
      return sendObject(reply, await findLinkedRecord(params, link, record, context, services))
    },
  }),
]
