/** The query parameters that the endpoints of revision 2.0 have in common. */
import { Type } from 'typebox'
import { resolveFamilyPath } from '../../access/resolve.ts'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { recordShape } from '../../contract/object-record.ts'
import { closed, flag, text } from '../../contract/schema-parts.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { REVISION_2_QUERIES } from '../../query/parse/revision-2-query-types.ts'
import { findProperties, findRecord, keyEquals } from '../../service/pages/find-object.ts'
import { followLink, linkEndpoint } from '../../service/pages/follow-link.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import { endpoint } from '../endpoint.ts'
import { sendJson, sendPage } from '../response/send-data.ts'
import { FamilyPage, FamilyRecord } from '../schemas/object-records.ts'
import { bodyPaging, queryPaging } from '../schemas/paging.ts'
import { queryBody } from '../schemas/query-body.ts'
import { findByKey, findLinkByKey, objectNotFound, resolveKeySearch } from './find-by-key.ts'

const PreviewParameter = Type.Optional(
  flag('Has no effect. Accepted because clients of this API send it.'),
)

/** The parameters of an endpoint that finds an object by its key alone. */
const keyParameters = {
  objectType: Type.Optional(
    text('API name of the object type. Required if several types have such an object.'),
  ),
  preview: PreviewParameter,
}

const PropertiesResponse = Type.Object({
  properties: Type.Array(
    Type.Object({
      propertyId: text('Unique within the object: `NAME`, or `NAME:INDEX` for an array element.'),
      propertyType: text('API name of the property.'),
      value: Type.Unsafe<unknown>({ description: 'One value. An array has an entry per element.' }),
    }),
  ),
})

/** API names contain no colon, so the id of an array element never equals a property name. */
function entriesOf(propertyType: string, value: unknown): object[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) return [{ propertyId: propertyType, propertyType, value }]
  return value.map((element: unknown, index) => ({
    propertyId: `${propertyType}:${index}`,
    propertyType,
    value: element,
  }))
}

export const searchObjects = endpoint({
  route: 'POST /api/:apiFamily/v1/objects/types/:objectType/search',
  config: { scope: 'api:ontologies-read', writes: 'nothing', isPage: true },
  operationId: 'searchObjects',
  summary: 'Search objects by type',
  querystring: Type.Object({ preview: PreviewParameter }, closed),
  body: Type.Object({ query: queryBody(REVISION_2_QUERIES), ...bodyPaging }, closed),
  response: FamilyPage,
  handle: async (request, reply, services) => {
    const resolved = resolveFamilyPath(request, request.params)
    const context = { objectType: resolved.objectType, limits: services.limits.query }
    const spec = {
      ...resolved,
      endpoint: 'searchObjects',
      revision: '2.0',
      query: parseQuery(REVISION_2_QUERIES, request.body.query, context),
      paging: request.body,
      maximumPageSize: PAGE_SIZES.searchObjects,
      includeTotalCount: false,
    } as const
    return sendPage(reply, await readObjectPage(request, spec, services))
  },
})

export const getObjectByKey = endpoint({
  route: 'GET /api/:apiFamily/v1/objects/:primaryKey',
  config: { scope: 'api:ontologies-read', isPage: true },
  operationId: 'getObjectByKey',
  summary: 'Get an object',
  querystring: Type.Object(keyParameters, closed),
  response: FamilyRecord,
  handle: async (request, reply, services) => {
    const search = resolveKeySearch(request)
    const { objectType, key } = await findByKey(search, request.context, services)
    const spec = {
      objectType,
      query: keyEquals(objectType, key),
      shape: recordShape('2.0', objectType.apiName),
      selection: undefined,
    }
    const record = await findRecord(spec, request.context, services)
    if (record === undefined) throw objectNotFound(search)
    return sendJson(reply, record)
  },
})

export const getObjectProperties = endpoint({
  route: 'GET /api/:apiFamily/v1/objects/:primaryKey/properties',
  config: { scope: 'api:ontologies-read' },
  operationId: 'getObjectProperties',
  summary: 'List the property values of an object',
  querystring: Type.Object(keyParameters, closed),
  response: PropertiesResponse,
  handle: async (request, reply, services) => {
    const search = resolveKeySearch(request)
    const { objectType, key } = await findByKey(search, request.context, services)
    const values = await findProperties(objectType, key, undefined, request.context, services)
    if (values === undefined) throw objectNotFound(search)
    const properties = [...objectType.properties.keys()].flatMap((name) =>
      entriesOf(name, values.get(name)),
    )
    return sendJson(reply, JSON.stringify({ properties }))
  },
})

export const listLinkedObjectsByKey = endpoint({
  route: 'GET /api/:apiFamily/v1/objects/:primaryKey/links/:linkType',
  config: { scope: 'api:ontologies-read' },
  operationId: 'listLinkedObjectsByKey',
  summary: 'List linked objects',
  querystring: Type.Object({ ...queryPaging, ...keyParameters }, closed),
  response: FamilyPage,
  handle: async (request, reply, services) => {
    const { context, params, query } = request
    const search = resolveKeySearch(request)
    const link = await findLinkByKey(search, params.linkType, query, context, services)
    const condition = await followLink(link, query, context, services)
    if (condition === undefined) throw objectNotFound(search)
    const spec = {
      ontology: search.ontology,
      objectType: link.side.linkedType,
      endpoint: linkEndpoint(link),
      revision: '2.0',
      query: condition,
      paging: query,
      maximumPageSize: PAGE_SIZES.listLinkedObjects,
      includeTotalCount: false,
    } as const
    return sendPage(reply, await readObjectPage(request, spec, services))
  },
})
