/** The metadata of v2: ontologies, object types, link types, interface types and query types. */
import { Type } from 'typebox'
import { resolveInterfacePath } from '../../access/resolve.ts'
import { PAGE_SIZES, RID_BATCH_MAX } from '../../contract/limits.ts'
import { findInterfaceLink, findInterfaceType, findObjectType } from '../../ontology/catalogue.ts'
import type { InterfaceLink, InterfaceType } from '../../ontology/ontology.ts'
import { MetadataCollection } from '../metadata/metadata-collection.ts'
import {
  type MetadataSource,
  metadataBatch,
  metadataItem,
  metadataList,
  metadataListAndItem,
  ontologySource,
} from '../metadata/metadata-endpoints.ts'
import {
  linkTypes,
  objectTypes,
  objectTypesSource,
  ontologies,
  ontologyItem,
} from '../metadata/shared-metadata.ts'
import {
  InterfaceLinkResponse,
  InterfaceTypeResponse,
  interfaceLinkDescriber,
  interfaceTypeDescriber,
} from './interface-metadata.ts'
import {
  describeFullOntology,
  describeLinkV2,
  FullObjectTypeResponse,
  FullOntologyResponse,
  fullObjectTypeDescriber,
  LinkTypeV2Response,
  ObjectTypeResponse,
  objectTypeDescriber,
} from './v2-metadata.ts'

const V2 = '/api/v2/ontologies'

const typesSource = objectTypesSource(V2, objectTypeDescriber, ObjectTypeResponse)
const fullTypesSource = objectTypesSource(V2, fullObjectTypeDescriber, FullObjectTypeResponse)

const interfaceTypes = ontologySource(V2, '/:ontology/interfaceTypes', InterfaceTypeResponse, {
  items: ({ interfaceTypes: types }) => types.values(),
  describer: interfaceTypeDescriber,
})

const interfaceLinkTypes: MetadataSource<InterfaceType, InterfaceLink> = {
  api: V2,
  path: '/:ontology/interfaceTypes/:interfaceType/outgoingLinkTypes',
  resolve: (viewer, path) => {
    const { ontology, interfaceType } = resolveInterfacePath(viewer, path)
    return { ontology, owner: interfaceType }
  },
  collection: new MetadataCollection({
    items: ({ allLinks }) => allLinks.values(),
    describer: interfaceLinkDescriber,
  }),
  response: InterfaceLinkResponse,
}

/** An ontology defines no functions, so there are no query types. */
const queryTypes = ontologySource(V2, '/:ontology/queryTypes', Type.Unknown(), {
  items: () => [],
  describer: () => (item) => item,
})

const fullMetadata = {
  operationId: 'getOntologyFullMetadata',
  summary: 'Get an ontology with everything that it defines',
  path: '/fullMetadata',
}

export const v2Metadata = [
  ...ontologies(V2, ['listOntologiesV2', 'getOntologyV2']),
  ontologyItem(V2, fullMetadata, FullOntologyResponse, describeFullOntology),
  ...objectTypes(typesSource, ['listObjectTypesV2', 'getObjectTypeV2']),
  metadataItem(fullTypesSource, {
    operationId: 'getObjectTypeFullMetadata',
    summary: 'Get an object type with its links and interfaces',
    path: '/:objectType/fullMetadata',
    find: ({ ontology }, { objectType }) => findObjectType(ontology, objectType),
  }),
  metadataBatch(typesSource, {
    operationId: 'getObjectTypesByRid',
    summary: 'Get object types by RID',
    description: `At most ${RID_BATCH_MAX} per request. Object types that do not exist are absent from the response.`,
    ridMember: 'objectTypeRid',
  }),
  ...linkTypes(
    V2,
    ['listOutgoingLinkTypesV2', 'getOutgoingLinkTypeV2'],
    describeLinkV2,
    LinkTypeV2Response,
  ),
  ...metadataListAndItem(interfaceTypes, {
    operationIds: ['listInterfaceTypes', 'getInterfaceType'],
    summaries: ['List interface types', 'Get an interface type'],
    maximumPageSize: PAGE_SIZES.listInterfaceTypes,
    path: '/:interfaceType',
    find: ({ ontology }, { interfaceType }) => findInterfaceType(ontology, interfaceType),
  }),
  ...metadataListAndItem(interfaceLinkTypes, {
    operationIds: ['listInterfaceLinkTypes', 'getInterfaceLinkType'],
    summaries: ['List the link types of an interface type', 'Get a link type of an interface type'],
    description: 'Ordered by API name, including those of the interfaces that it extends.',
    maximumPageSize: PAGE_SIZES.listLinkTypes,
    path: '/:interfaceLinkType',
    find: ({ owner }, { interfaceLinkType }) => findInterfaceLink(owner, interfaceLinkType),
  }),
  metadataList(queryTypes, {
    operationId: 'listQueryTypes',
    summary: 'List query types',
    description: 'Always empty: ontologies here have no functions.',
    maximumPageSize: PAGE_SIZES.listQueryTypes,
  }),
]
