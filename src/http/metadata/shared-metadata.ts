/** The metadata that revision 1.0 and v2 have in common: ontologies, object types and link types. */

import { type TSchema, Type } from 'typebox'
import { resolveTypePath } from '../../access/find-visible.ts'
import { visibleOntologies } from '../../access/policies/visible-ontologies.ts'
import { NoParameters, namedObject, text } from '../../contract/schema-parts.ts'
import { findObjectType } from '../../ontology/catalogue.ts'
import { findLink, outgoingLinks } from '../../ontology/definition/links.ts'
import type { LinkSide, ObjectType, Ontology } from '../../ontology/ontology.ts'
import { PAGE_SIZES } from '../../paging/page-limits.ts'
import type { OntologySummary } from '../../store/object-store.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { sendJson } from '../response/send-data.ts'
import { MetadataCollection } from './metadata-collection.ts'
import {
  type MetadataApi,
  type MetadataSource,
  metadataItem,
  metadataListAndItem,
  ontologySource,
} from './metadata-endpoints.ts'

type OperationIds = readonly [list: string, get: string]

export const OntologyResponse = namedObject(
  'Ontology',
  {
    apiName: Type.String(),
    displayName: Type.String(),
    description: Type.String(),
    rid: Type.String(),
  },
  {
    examples: [
      {
        apiName: 'aviation',
        displayName: 'Aviation',
        description: 'Airports, flights, and the countries and cities of the world.',
        rid: 'ri.ontology.main.ontology.0f1f5c0e-7b1a-4c57-9a53-2f0a4c1d2b3e',
      },
    ],
  },
)

/** Returns every member, even if empty: published clients reject an ontology without one. */
export function describeOntology(
  ontology: Pick<OntologySummary, 'rid' | 'apiName'> & Partial<OntologySummary>,
) {
  const { apiName, rid, displayName = apiName, description = '' } = ontology
  return { apiName, displayName, description, rid }
}

/** Returns the endpoint of an ontology, as the only item of a collection of its own. */
export function ontologyItem(
  api: MetadataApi,
  { path = '', ...documentation }: { operationId: string; summary: string; path?: string },
  response: TSchema,
  describe: (ontology: Ontology) => object,
): Endpoint {
  const source = ontologySource(api, '', response, {
    items: (ontology) => [ontology],
    describer: () => describe,
  })
  return metadataItem(source, {
    ...documentation,
    path: `/:ontology${path}`,
    find: ({ ontology }) => ontology,
  })
}

/** Returns the endpoints of ontologies. */
export function ontologies(api: MetadataApi, operationIds: OperationIds): readonly Endpoint[] {
  const list = endpoint({
    route: `GET ${api}`,
    config: { scope: 'api:ontologies-read' },
    operationId: operationIds[0],
    summary: 'List ontologies',
    description: 'All that the caller may see.',
    querystring: NoParameters,
    response: namedObject('OntologyList', { data: Type.Array(OntologyResponse) }),
    handle: async (request, reply, services) => {
      const visible = await visibleOntologies(request, services)
      const rids = new Set(visible.map(({ rid }) => rid))
      const summaries = await services.store.readOntologySummaries()
      const data = summaries.filter(({ rid }) => rids.has(rid)).map(describeOntology)
      return sendJson(reply, JSON.stringify({ data }))
    },
  })
  const documentation = { operationId: operationIds[1], summary: 'Get an ontology' }
  const get = ontologyItem(api, documentation, OntologyResponse, ({ rid, definition }) =>
    describeOntology({ ...definition, rid }),
  )
  return [list, get]
}

/** Returns the object types of an ontology as an API describes them. */
export function objectTypesSource(
  api: MetadataApi,
  describer: (ontology: Ontology) => (objectType: ObjectType) => object,
  response: TSchema,
) {
  return ontologySource(api, '/:ontology/objectTypes', response, {
    items: ({ objectTypes }) => objectTypes.values(),
    describer,
  })
}

/** Returns the endpoints that list object types and return one of them. */
export function objectTypes(
  source: ReturnType<typeof objectTypesSource>,
  operationIds: OperationIds,
): readonly Endpoint[] {
  return metadataListAndItem(source, {
    operationIds,
    summaries: ['List object types', 'Get an object type'],
    maximumPageSize: PAGE_SIZES.listObjectTypes,
    path: '/:objectType',
    find: ({ ontology }, { objectType }) => findObjectType(ontology, objectType),
  })
}

export const LinkTypeResponse = namedObject('LinkType', {
  apiName: Type.String(),
  displayName: Type.String(),
  status: Type.Enum(['ACTIVE']),
  objectTypeApiName: text('API name of the linked object type.'),
  cardinality: Type.Enum(['ONE', 'MANY']),
  foreignKeyPropertyApiName: Type.Optional(
    text('The property that contains the key of the linked object.'),
  ),
})

export function describeLink(side: LinkSide) {
  return {
    apiName: side.apiName,
    displayName: side.displayName,
    status: 'ACTIVE',
    objectTypeApiName: side.linkedType.apiName,
    cardinality: side.cardinality,
    foreignKeyPropertyApiName: side.foreignKey,
  }
}

/** Returns the endpoints of the link types of an object type. */
export function linkTypes(
  api: MetadataApi,
  operationIds: OperationIds,
  describe: (side: LinkSide) => object,
  response: TSchema,
): readonly Endpoint[] {
  const source: MetadataSource<ObjectType, LinkSide> = {
    api,
    path: '/:ontology/objectTypes/:objectType/outgoingLinkTypes',
    resolve: (viewer, path) => {
      const { ontology, objectType } = resolveTypePath(viewer, path)
      return { ontology, owner: objectType }
    },
    collection: new MetadataCollection({
      items: (objectType, ontology) => outgoingLinks(ontology, objectType),
      describer: () => describe,
    }),
    response,
  }
  return metadataListAndItem(source, {
    operationIds,
    summaries: ['List the link types of an object type', 'Get a link type of an object type'],
    maximumPageSize: PAGE_SIZES.listLinkTypes,
    path: '/:linkType',
    find: ({ ontology, owner }, { linkType }) => findLink(ontology, owner, linkType),
  })
}
