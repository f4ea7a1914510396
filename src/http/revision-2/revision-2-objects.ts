/** The query parameters that the endpoints of revision 2.0 have in common. */

import { Type } from 'typebox'
import { resolveFamily, resolveFamilyPath, type Viewer } from '../../access/find-visible.ts'
import { recordShape } from '../../contract/object-record.ts'
import { closed, flag, text } from '../../contract/schema-parts.ts'
import { PAGE_SIZES } from '../../paging/page-limits.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { REVISION_2_QUERIES } from '../../query/parse/revision-2-query-language.ts'
import {
  familyObjectNotFound,
  findByKey,
  findLinkByKey,
  type KeySearch,
} from '../../service/pages/find-in-family.ts'
import { findProperties, findRecord, keyEquals } from '../../service/pages/find-object.ts'
import { followLink, linkEndpoint } from '../../service/pages/follow-link.ts'
import { typePage } from '../../service/pages/page-spec.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { sendJson, sendObject, sendPage } from '../response/send-data.ts'
import { FamilyPage, FamilyRecord } from '../schemas/object-records.ts'
import { bodyPaging, queryPaging } from '../schemas/paging.ts'
import { queryBody } from '../schemas/query-body.ts'

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

export const revision2Objects: readonly Endpoint[] = [
  endpoint({
    route: 'POST /api/:apiFamily/v1/objects/types/:objectType/search',
    config: { scope: 'api:ontologies-read', writes: 'nothing', isPage: true },
    operationId: 'searchObjects',
    summary: 'Search objects by type',
    description:
      'Returns the objects of a type that match the query, in pages of up to 100. An empty query, `{"type": "empty"}`, matches every object.',
    querystring: Type.Object({ preview: PreviewParameter }, closed),
    body: Type.Object({ query: queryBody(REVISION_2_QUERIES), ...bodyPaging }, closed),
    response: FamilyPage,
    handle: async (request, reply, services) => {
      const resolved = resolveFamilyPath(request, request.params)
      const context = { objectType: resolved.objectType, limits: services.limits.query }
      const spec = typePage({
        ...resolved,
        endpoint: 'searchObjects',
        revision: '2.0',
        query: parseQuery(REVISION_2_QUERIES, request.body.query, context),
        paging: request.body,
        maximumPageSize: PAGE_SIZES.searchObjects,
        includeTotalCount: false,
      })
      return sendPage(reply, await readObjectPage(request, spec, services))
    },
  }),
  endpoint({
    route: 'GET /api/:apiFamily/v1/objects/:primaryKey',
    config: { scope: 'api:ontologies-read', isPage: true },
    operationId: 'getObjectByKey',
    summary: 'Get an object',
    description: 'Finds an object by its primary key in all object types of the family.',
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
      if (record === undefined) throw familyObjectNotFound(search)
      return sendObject(reply, record)
    },
  }),
  endpoint({
    route: 'GET /api/:apiFamily/v1/objects/:primaryKey/properties',
    config: { scope: 'api:ontologies-read' },
    operationId: 'getObjectProperties',
    summary: 'List the property values of an object',
    description: 'Returns an entry for each property value, and one for each element of an array.',
    querystring: Type.Object(keyParameters, closed),
    response: PropertiesResponse,
    handle: async (request, reply, services) => {
      const search = resolveKeySearch(request)
      const { objectType, key } = await findByKey(search, request.context, services)
      const values = await findProperties(objectType, key, undefined, request.context, services)
      if (values === undefined) throw familyObjectNotFound(search)
      const properties = [...objectType.properties.keys()].flatMap((name) =>
        entriesOf(name, values.get(name)),
      )
      return sendJson(reply, JSON.stringify({ properties }))
    },
  }),
  endpoint({
    route: 'GET /api/:apiFamily/v1/objects/:primaryKey/links/:linkType',
    config: { scope: 'api:ontologies-read' },
    operationId: 'listLinkedObjectsByKey',
    summary: 'List linked objects',
    description: 'Returns the objects that a link of the object leads to.',
    querystring: Type.Object({ ...queryPaging, ...keyParameters }, closed),
    response: FamilyPage,
    handle: async (request, reply, services) => {
      const { context, params, query } = request
      const search = resolveKeySearch(request)
      const link = await findLinkByKey(search, params.linkType, query, context, services)
      const condition = await followLink(link, query, context, services)
      if (condition === undefined) throw familyObjectNotFound(search)
      const spec = typePage({
        ontology: search.ontology,
        objectType: link.side.linkedType,
        endpoint: linkEndpoint(link),
        revision: '2.0',
        query: condition,
        paging: query,
        maximumPageSize: PAGE_SIZES.listLinkedObjects,
        includeTotalCount: false,
      })
      return sendPage(reply, await readObjectPage(request, spec, services))
    },
  }),
]

interface KeyRequest extends Viewer {
  readonly params: { readonly apiFamily: string; readonly primaryKey: string }
  readonly query: { readonly objectType?: string }
}

/** Returns the search that a request describes. */
function resolveKeySearch({ catalogue, caller, params, query }: KeyRequest): KeySearch {
  return {
    ontology: resolveFamily(catalogue, caller, params.apiFamily),
    objectType: query.objectType,
    primaryKey: params.primaryKey,
  }
}
