import type { Static } from 'typebox'
import { resolveInterfacePath, type Viewer } from '../../access/resolve.ts'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { findInterfaceLink, findInterfaceType } from '../../ontology/catalogue.ts'
import type { InterfaceLink, InterfaceType } from '../../ontology/ontology.ts'
import type { App } from '../app.ts'
import { V2 } from '../metadata/metadata-api.ts'
import { MetadataCollection } from '../metadata/metadata-collection.ts'
import { addMetadataItem, addMetadataList, ontologySource } from '../metadata/metadata-endpoints.ts'
import { InterfaceLinkTypePath, InterfaceTypePath } from '../schemas/paths.ts'
import type { Services } from '../services.ts'
import {
  InterfaceLinkResponse,
  InterfaceTypeResponse,
  interfaceLinkDescriber,
  interfaceTypeDescriber,
} from './interface-metadata.ts'

/** Adds `listInterfaceTypes` and `getInterfaceType`. */
export function addInterfaceTypes(app: App, services: Services): void {
  const source = ontologySource(V2, '/:ontology/interfaceTypes', InterfaceTypeResponse, {
    items: ({ interfaceTypes }) => interfaceTypes.values(),
    describer: interfaceTypeDescriber,
  })
  addMetadataList(app, services, source, {
    operationId: 'listInterfaceTypes',
    summary: 'List interface types',
    maximumPageSize: PAGE_SIZES.listInterfaceTypes,
  })
  addMetadataItem(app, source, {
    operationId: 'getInterfaceType',
    summary: 'Get an interface type',
    path: '/:interfaceType',
    params: InterfaceTypePath,
    find: ({ ontology }, { interfaceType }) => findInterfaceType(ontology, interfaceType),
  })
}

/** Adds `listInterfaceLinkTypes` and `getInterfaceLinkType`. */
export function addInterfaceLinkTypes(app: App, services: Services): void {
  const source = {
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
  addMetadataList(app, services, source, {
    operationId: 'listInterfaceLinkTypes',
    summary: 'List the link types of an interface type',
    description: 'Ordered by API name, including those of the interfaces that it extends.',
    maximumPageSize: PAGE_SIZES.listLinkTypes,
  })
  addMetadataItem(app, source, {
    operationId: 'getInterfaceLinkType',
    summary: 'Get a link type of an interface type',
    path: '/:interfaceLinkType',
    params: InterfaceLinkTypePath,
    find: ({ owner }, { interfaceLinkType }) => findInterfaceLink(owner, interfaceLinkType),
  })
}
