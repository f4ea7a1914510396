import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { recordShape } from '../../contract/object-record.ts'
import { findLink } from '../../ontology/definition/links.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { effectiveLimit } from '../../paging/retrieval-limit.ts'
import type { App } from '../app.ts'
import { closed, NextPageToken, readResponses } from '../openapi/schemas.ts'
import { findRecord, hasKey, objectNotFound, readKey } from '../page/find-object.ts'
import { bothOf, followLink, type LinkOfObject, linkEndpoint } from '../page/follow-link.ts'
import {
  ListingParameters,
  readListing,
  readSelection,
  SelectionParameter,
} from '../page/listing-parameters.ts'
import { sendPage } from '../page/send-page.ts'
import { servePage } from '../page/serve-page.ts'
import { resolveObjectType, resolveOntology, type Viewer } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import type { Services } from '../services.ts'
import { ObjectRecord } from './get-object.ts'

/** The objects that one object is linked to, revision 1.0. */

export function addLinkedObjects(app: App, services: Services): void {
  addListLinkedObjects(app, services)
  addGetLinkedObject(app, services)
}

const params = {
  ontology: Type.String({ description: 'RID or API name of the ontology.' }),
  objectType: Type.String({ description: 'API name of the object type.' }),
  primaryKey: Type.String({ description: 'The primary key of the object, as text.' }),
  linkType: Type.String({ description: 'API name of the link.' }),
}

function addListLinkedObjects(app: App, services: Services): void {
  app.get(
    '/api/v1/ontologies/:ontology/objects/:objectType/:primaryKey/links/:linkType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listLinkedObjects',
        summary: 'List linked objects (revision 1.0)',
        description:
          'Selection, order and filters are about the linked objects. When the object that the link starts from is deleted, a snapshot goes on and a walk without snapshot ends.',
        tags: ['Revision 1.0'],
        params: Type.Object(params),
        querystring: ListingParameters,
        response: readResponses(
          Type.Object({ data: Type.Array(ObjectRecord), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const { pageSize, pageToken, snapshot = false } = request.query
      const { ontology, link } = resolveLink(request.params, request)
      const { objectType, linkedType } = link.side
      const listing = readListing(request.query, linkedType, services.limits.query)
      const condition = await followLink(link, { snapshot, pageToken }, request.context, services)
      if (condition === undefined) throw objectNotFound(objectType, request.params.primaryKey)
      const page = await servePage(
        {
          ontology,
          objectType: linkedType,
          requestId: request.id,
          endpoint: linkEndpoint(link),
          revision: '1.0',
          caller: request.caller,
          context: request.context,
          ...listing,
          query: bothOf(condition, listing.query),
          snapshot,
          pageToken,
          pageSize,
          showsCount: false,
          maximumPageSize: PAGE_SIZES.listLinkedObjects,
          retrievalLimit: effectiveLimit(
            services.limits.listObjectsLimit,
            linkedType.retrievalLimit,
          ),
        },
        services,
      )
      return sendPage(reply, '1.0', page, { totalCount: false })
    },
  )
}

function addGetLinkedObject(app: App, services: Services): void {
  app.get(
    '/api/v1/ontologies/:ontology/objects/:objectType/:primaryKey/links/:linkType/:linkedObjectPrimaryKey',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getLinkedObject',
        summary: 'Get a linked object (revision 1.0)',
        tags: ['Revision 1.0'],
        params: Type.Object({
          ...params,
          linkedObjectPrimaryKey: Type.String({
            description: 'The primary key of the linked object, as text.',
          }),
        }),
        querystring: Type.Object({ properties: SelectionParameter }, closed),
        response: readResponses(ObjectRecord),
      },
    },
    async (request, reply) => {
      const { primaryKey, linkType, linkedObjectPrimaryKey } = request.params
      const { link } = resolveLink(request.params, request)
      const { objectType, linkedType } = link.side
      const selection = readSelection(request.query.properties, linkedType)
      const condition = await followLink(link, NO_WALK, request.context, services)
      if (condition === undefined) throw objectNotFound(objectType, primaryKey)

      const key = readKey(linkedType, linkedObjectPrimaryKey)
      if (key === undefined)
        throw linkedObjectNotFound(linkType, linkedType, linkedObjectPrimaryKey)
      const wish = {
        objectType: linkedType,
        query: bothOf(hasKey(linkedType, key), condition),
        shape: recordShape('1.0', linkedType.apiName),
        selection,
      }
      const record = await findRecord(wish, request.context, services)
      if (record === undefined) {
        throw linkedObjectNotFound(linkType, linkedType, linkedObjectPrimaryKey)
      }
      return sendJson(reply, record)
    },
  )
}

const NO_WALK = { snapshot: false, pageToken: undefined }

interface LinkPath {
  readonly ontology: string
  readonly objectType: string
  readonly primaryKey: string
  readonly linkType: string
}

function resolveLink(
  path: LinkPath,
  { catalogue, caller }: Viewer,
): { readonly ontology: Ontology; readonly link: LinkOfObject } {
  const ontology = resolveOntology(catalogue, caller, path.ontology)
  const { objectType } = resolveObjectType(ontology, path.objectType)
  const side = findLink(ontology, objectType, path.linkType)
  const key = readKey(objectType, path.primaryKey)
  if (key === undefined) throw objectNotFound(objectType, path.primaryKey)
  return { ontology, link: { side, key } }
}

function linkedObjectNotFound(
  linkType: string,
  linkedType: ObjectType,
  written: string,
): ObjectQueryError {
  return new ObjectQueryError('LinkedObjectNotFound', {
    linkType,
    linkedObjectType: linkedType.apiName,
    linkedObjectPrimaryKey: { [linkedType.primaryKey.apiName]: written },
  })
}
