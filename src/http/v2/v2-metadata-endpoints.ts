/** The metadata of v2: ontologies, object types, link types, interface types and query types. */
import { type Static, Type } from 'typebox'
import { resolveInterfacePath, type Viewer } from '../../access/resolve.ts'
import { PAGE_SIZES, RID_BATCH_MAX } from '../../contract/limits.ts'
import { findInterfaceLink, findInterfaceType } from '../../ontology/catalogue.ts'
import type { InterfaceLink, InterfaceType } from '../../ontology/ontology.ts'
import { linkTypes } from '../metadata/link-types.ts'
import { V2 } from '../metadata/metadata-api.ts'
import { MetadataCollection } from '../metadata/metadata-collection.ts'
import {
  metadataBatch,
  metadataItem,
  metadataList,
  ontologySource,
} from '../metadata/metadata-endpoints.ts'
import { objectTypeItem, objectTypeList, objectTypesSource } from '../metadata/object-types.ts'
import { ontologies, ontologyItself } from '../metadata/ontologies.ts'
import { InterfaceLinkTypePath, InterfaceTypePath, OntologyPath } from '../schemas/paths.ts'
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

const full = ontologyItself(V2, FullOntologyResponse, describeFullOntology)
const objectTypes = objectTypesSource(V2, objectTypeDescriber, ObjectTypeResponse)
const fullObjectTypes = objectTypesSource(V2, fullObjectTypeDescriber, FullObjectTypeResponse)

const interfaceTypes = ontologySource(V2, '/:ontology/interfaceTypes', InterfaceTypeResponse, {
  items: ({ interfaceTypes: types }) => types.values(),
  describer: interfaceTypeDescriber,
})

const interfaceLinkTypes = {
  api: V2,
  path: '/:ontology/interfaceTypes/:interfaceType/outgoingLinkTypes',
  params: InterfaceTypePath,
  resolve: (viewer: Viewer, path: Static<typeof InterfaceTypePath>) => {
    const { ontology, interfaceType } = resolveInterfacePath(viewer, path)
    return { ontology, owner: interfaceType }
  },
  collection: new MetadataCollection<InterfaceType, InterfaceLink>({
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

export const v2Metadata = [
  ...ontologies(V2, { list: 'listOntologiesV2', get: 'getOntologyV2' }),
  metadataItem(full, {
    operationId: 'getOntologyFullMetadata',
    summary: 'Get an ontology with everything that it defines',
    path: '/:ontology/fullMetadata',
    params: OntologyPath,
    find: ({ ontology }) => ontology,
  }),
  objectTypeList(objectTypes, 'listObjectTypesV2'),
  objectTypeItem(objectTypes, 'getObjectTypeV2'),
  objectTypeItem(fullObjectTypes, 'getObjectTypeFullMetadata', {
    summary: 'Get an object type with its links and interfaces',
    path: '/fullMetadata',
  }),
  metadataBatch(objectTypes, {
    operationId: 'getObjectTypesByRid',
    summary: 'Get object types by RID',
    description: `At most ${RID_BATCH_MAX} per request. Object types that do not exist are absent from the response.`,
    ridMember: 'objectTypeRid',
  }),
  ...linkTypes(V2, {
    operationIds: { list: 'listOutgoingLinkTypesV2', get: 'getOutgoingLinkTypeV2' },
    describe: describeLinkV2,
    response: LinkTypeV2Response,
  }),
  metadataList(interfaceTypes, {
    operationId: 'listInterfaceTypes',
    summary: 'List interface types',
    maximumPageSize: PAGE_SIZES.listInterfaceTypes,
  }),
  metadataItem(interfaceTypes, {
    operationId: 'getInterfaceType',
    summary: 'Get an interface type',
    path: '/:interfaceType',
    params: InterfaceTypePath,
    find: ({ ontology }, { interfaceType }) => findInterfaceType(ontology, interfaceType),
  }),
  metadataList(interfaceLinkTypes, {
    operationId: 'listInterfaceLinkTypes',
    summary: 'List the link types of an interface type',
    description: 'Ordered by API name, including those of the interfaces that it extends.',
    maximumPageSize: PAGE_SIZES.listLinkTypes,
  }),
  metadataItem(interfaceLinkTypes, {
    operationId: 'getInterfaceLinkType',
    summary: 'Get a link type of an interface type',
    path: '/:interfaceLinkType',
    params: InterfaceLinkTypePath,
    find: ({ owner }, { interfaceLinkType }) => findInterfaceLink(owner, interfaceLinkType),
  }),
  metadataList(queryTypes, {
    operationId: 'listQueryTypes',
    summary: 'List query types',
    description: 'Always empty: ontologies here have no functions.',
    maximumPageSize: PAGE_SIZES.listQueryTypes,
  }),
]
