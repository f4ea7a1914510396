/** The query parameters that the endpoints of revision 2.0 have in common. */

import { Type } from 'typebox'
import {
  resolveFamily,
  resolveFamilyPath,
  resolveObjectType,
  type Viewer,
} from '../../access/find-visible.ts'
import { invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import { recordShape } from '../../contract/object-record.ts'
import { closed, flag, text } from '../../contract/schema-parts.ts'
import { linksNamed } from '../../ontology/definition/links.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { PAGE_SIZES } from '../../paging/page-limits.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { REVISION_2_QUERIES } from '../../query/parse/revision-2-query-language.ts'
import { findProperties, findRecord, keyEquals, readKey } from '../../service/pages/find-object.ts'
import {
  followLink,
  isLaterSnapshotPage,
  type LinkStart,
  linkEndpoint,
} from '../../service/pages/follow-link.ts'
import type { PagingParameters } from '../../service/pages/page.ts'
import { typePage } from '../../service/pages/page-spec.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { sendJson, sendObject, sendPage } from '../response/send-data.ts'
import { FamilyPage, FamilyRecord } from '../schemas/object-records.ts'
import { bodyPaging, queryPaging } from '../schemas/paging.ts'
import { queryBody } from '../schemas/query-body.ts'
import type { Services } from '../services.ts'

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
      if (record === undefined) throw objectNotFound(search)
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
      if (values === undefined) throw objectNotFound(search)
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
      if (condition === undefined) throw objectNotFound(search)
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

/*
 * Finds objects by primary key alone, as revision 2.0 requests them. Keys are unique only within a
 * type, so every type whose keys can have this form is searched.
 */

interface KeySearch {
  readonly ontology: Ontology
  /** The type to search; undefined for all types. */
  readonly objectType: string | undefined
  /** As it appears in the path. */
  readonly primaryKey: string
}

interface FoundObject {
  readonly objectType: ObjectType
  /** The primary key in canonical form. */
  readonly key: string
}

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

/** Returns the object with the key. Throws if there is none, or more than one. */
async function findByKey(
  search: KeySearch,
  context: ServiceContext,
  services: Services,
): Promise<FoundObject> {
  return onlyObject(await findAll(search, context, services), search)
}

/** Returns the link with this name that starts at the object with the key. */
async function findLinkByKey(
  search: KeySearch,
  linkType: string,
  paging: PagingParameters,
  context: ServiceContext,
  services: Services,
): Promise<LinkStart> {
  const types = new Set(typesToSearch(search))
  const sides = linksNamed(search.ontology, linkType).filter((side) => types.has(side.objectType))
  if (sides.length === 0) throw invalidLinkType(linkType)

  // The start object may have been deleted by now, see followLink. If only one type is possible,
  // its link is known without the object.
  if (isLaterSnapshotPage(paging)) {
    const [link, ...others] = sides.flatMap((side) => {
      const key = readKey(side.objectType, search.primaryKey)
      return key === undefined ? [] : [{ side, key }]
    })
    if (link !== undefined && others.length === 0) return link
  }

  const objects = await findAll(search, context, services)
  if (objects.length === 0) throw objectNotFound(search)
  // Ignore objects whose type does not have this link.
  const linked = objects.filter(({ objectType }) =>
    sides.some((side) => side.objectType === objectType),
  )
  if (linked.length === 0) throw invalidLinkType(linkType)
  const { objectType, key } = onlyObject(linked, search)
  const side = sides.find((one) => one.objectType === objectType)
  if (side === undefined) throw invalidLinkType(linkType)
  return { side, key }
}

/** Returns the `ObjectNotFound` of revision 2.0. */
function objectNotFound({ primaryKey }: KeySearch): ObjectQueryError {
  return new ObjectQueryError('ObjectNotFound', { primaryKeys: [primaryKey] })
}

function invalidLinkType(linkType: string): ObjectQueryError {
  return new ObjectQueryError('InvalidOntologyTypes', {
    invalidPropertyTypes: [],
    invalidObjectTypes: [],
    invalidLinkTypes: [linkType],
  })
}

function typesToSearch({ ontology, objectType }: KeySearch): readonly ObjectType[] {
  if (objectType === undefined) return [...ontology.objectTypes.values()]
  return [resolveObjectType(ontology, objectType).objectType]
}

async function findAll(
  search: KeySearch,
  context: ServiceContext,
  services: Services,
): Promise<FoundObject[]> {
  const objects: FoundObject[] = []
  for (const objectType of typesToSearch(search)) {
    const key = readKey(objectType, search.primaryKey)
    if (key === undefined) continue
    // An ontology may have thousands of types.
    await services.admission.takeTurn(context.callerId)
    context.signal().throwIfAborted()
    const keyOnly = [objectType.primaryKey.apiName]
    const exists = await findProperties(objectType, key, keyOnly, context, services)
    if (exists !== undefined) objects.push({ objectType, key })
  }
  return objects
}

function onlyObject(objects: readonly FoundObject[], search: KeySearch): FoundObject {
  const [first, ...others] = objects
  if (first === undefined) throw objectNotFound(search)
  if (others.length === 0) return first
  const names = objects.map(({ objectType }) => objectType.apiName)
  const reason = `is required: the object types ${names.join(', ')} have an object with this key`
  throw invalidArgument('objectType', reason)
}
