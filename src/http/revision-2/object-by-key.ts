import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { recordShape } from '../../contract/object-record.ts'
import type { App } from '../app.ts'
import {
  closed,
  NextPageToken,
  PageSize,
  PageToken,
  Properties,
  readResponses,
} from '../openapi/schemas.ts'
import { findProperties, findRecord, hasKey } from '../page/find-object.ts'
import { followLink, linkEndpoint } from '../page/follow-link.ts'
import { sendPage } from '../page/send-page.ts'
import { servePage } from '../page/serve-page.ts'
import { resolveFamily, type Viewer } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import type { Services } from '../services.ts'
import { findByKey, findLinkByKey, type KeySearch, objectNotFound } from './find-by-key.ts'

/** One object, its property values and the objects that it is linked to, revision 2.0. */
export function addFamilyObjects(app: App, services: Services): void {
  addGetObjectByKey(app, services)
  addGetObjectProperties(app, services)
  addListLinkedObjects2(app, services)
}

const params = {
  apiFamily: Type.String({ description: 'A family of the ontology.' }),
  primaryKey: Type.String({ description: 'The primary key, as text.' }),
}

const query = {
  objectType: Type.Optional(
    Type.String({
      description: 'API name of the object type; needed where several types have such an object.',
    }),
  ),
  preview: Type.Optional(
    Type.Boolean({ description: 'Accepted, because clients of this API send it.' }),
  ),
}

const FamilyRecord = Type.Object(
  {
    primaryKey: Type.String(),
    objectType: Type.String(),
    title: Type.Optional(Type.String()),
    properties: Properties,
  },
  {
    examples: [
      {
        primaryKey: 'ZRH',
        objectType: 'airport',
        title: 'Zurich Airport',
        properties: { id: 'ZRH', name: 'Zurich Airport' },
      },
    ],
  },
)

function addGetObjectByKey(app: App, services: Services): void {
  app.get(
    '/api/:apiFamily/v1/objects/:primaryKey',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getObjectByKey',
        summary: 'Get an object (revision 2.0)',
        tags: ['Revision 2.0'],
        params: Type.Object(params),
        querystring: Type.Object(query, closed),
        response: readResponses(FamilyRecord),
      },
    },
    async (request, reply) => {
      const search = keySearch(request)
      const { objectType, key } = await findByKey(search, request.context, services)
      const wish = {
        objectType,
        query: hasKey(objectType, key),
        shape: recordShape('2.0', objectType.apiName),
        selection: undefined,
      }
      const record = await findRecord(wish, request.context, services)
      if (record === undefined) throw objectNotFound(search)
      return sendJson(reply, record)
    },
  )
}

const PropertiesResponse = Type.Object({
  properties: Type.Array(
    Type.Object({
      propertyId: Type.String({
        description: 'Unique within the object: `NAME`, in an array `NAME:POSITION`.',
      }),
      propertyType: Type.String({ description: 'API name of the property.' }),
      value: Type.Unsafe<unknown>({ description: 'One value; an array gives several.' }),
    }),
    { examples: [[{ propertyId: 'aliases:0', propertyType: 'aliases', value: 'Kloten' }]] },
  ),
})

function addGetObjectProperties(app: App, services: Services): void {
  app.get(
    '/api/:apiFamily/v1/objects/:primaryKey/properties',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getObjectProperties',
        summary: 'Get the property values of an object, each by itself (revision 2.0)',
        tags: ['Revision 2.0'],
        params: Type.Object(params),
        querystring: Type.Object(query, closed),
        response: readResponses(PropertiesResponse),
      },
    },
    async (request, reply) => {
      const search = keySearch(request)
      const { objectType, key } = await findByKey(search, request.context, services)
      const found = await findProperties(objectType, key, undefined, request.context, services)
      if (found === undefined) throw objectNotFound(search)
      const properties = [...objectType.properties.keys()].flatMap((name) =>
        entriesOf(name, found.get(name)),
      )
      return sendJson(reply, JSON.stringify({ properties }))
    },
  )
}

/** No API name holds a colon, so that no element is taken for another property. */
function entriesOf(propertyType: string, value: unknown): object[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) return [{ propertyId: propertyType, propertyType, value }]
  return value.map((element: unknown, position) => ({
    propertyId: `${propertyType}:${position}`,
    propertyType,
    value: element,
  }))
}

function addListLinkedObjects2(app: App, services: Services): void {
  app.get(
    '/api/:apiFamily/v1/objects/:primaryKey/links/:linkType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listLinkedObjectsByKey',
        summary: 'List linked objects (revision 2.0)',
        tags: ['Revision 2.0'],
        params: Type.Object({
          ...params,
          linkType: Type.String({ description: 'API name of the link.' }),
        }),
        querystring: Type.Object(
          {
            pageSize: Type.Optional(PageSize),
            pageToken: Type.Optional(PageToken),
            snapshot: Type.Optional(
              Type.Boolean({
                description: 'True: every page shows the data as it was when the first was read.',
              }),
            ),
            ...query,
          },
          closed,
        ),
        response: readResponses(
          Type.Object({ data: Type.Array(FamilyRecord), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const { pageSize, pageToken, snapshot = false } = request.query
      const walk = { snapshot, pageToken }
      const search = keySearch(request)
      const link = await findLinkByKey(
        search,
        request.params.linkType,
        walk,
        request.context,
        services,
      )
      const condition = await followLink(link, walk, request.context, services)
      if (condition === undefined) throw objectNotFound(search)
      const page = await servePage(
        {
          ontology: search.ontology,
          objectType: link.side.linkedType,
          requestId: request.id,
          endpoint: linkEndpoint(link),
          revision: '2.0',
          caller: request.caller,
          context: request.context,
          query: condition,
          order: [],
          selection: undefined,
          snapshot,
          pageToken,
          pageSize,
          showsCount: false,
          maximumPageSize: PAGE_SIZES.listLinkedObjects,
          // Revision 2.0 describes no cross-page limit [9.5].
          retrievalLimit: 'none',
        },
        services,
      )
      return sendPage(reply, '2.0', page)
    },
  )
}

interface KeyRequest extends Viewer {
  readonly params: { readonly apiFamily: string; readonly primaryKey: string }
  readonly query: { readonly objectType?: string }
}

function keySearch({ catalogue, caller, params, query }: KeyRequest): KeySearch {
  return {
    ontology: resolveFamily(catalogue, caller, params.apiFamily),
    objectType: query.objectType,
    primaryKey: params.primaryKey,
  }
}
