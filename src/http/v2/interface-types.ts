import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { findInterfaceLink, findInterfaceType } from '../../ontology/catalogue.ts'
import type { InterfaceType, Ontology } from '../../ontology/ontology.ts'
import type { App } from '../app.ts'
import { serveMetadataPage } from '../page/serve-metadata-page.ts'
import { resolveOntology, type Viewer } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { InterfaceLinkTypePath, InterfaceTypePath, OntologyPath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import {
  InterfaceLinkResponse,
  InterfaceTypeResponse,
  interfaceLinkDescriber,
  interfaceTypeDescriber,
} from './interface-metadata.ts'
import { V2Parameters, v2Parameters } from './parameters.ts'

export interface ResolvedInterface {
  readonly ontology: Ontology
  readonly interfaceType: InterfaceType
}

/** Resolves a path that names an interface type. */
export function resolveInterfacePath(
  { catalogue, caller }: Viewer,
  path: { readonly ontology: string; readonly interfaceType: string },
): ResolvedInterface {
  const ontology = resolveOntology(catalogue, caller, path.ontology)
  return { ontology, interfaceType: findInterfaceType(ontology, path.interfaceType) }
}

/** Adds `listInterfaceTypes`. */
export function addListInterfaceTypes(app: App, services: Services): void {
  app.get(
    '/api/v2/ontologies/:ontology/interfaceTypes',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listInterfaceTypes',
        summary: 'List interface types (v2)',
        description: 'Ordered by API name.',
        tags: ['v2'],
        params: OntologyPath,
        querystring: v2Parameters(metadataPaging),
        response: readResponses(
          Type.Object({ data: Type.Array(InterfaceTypeResponse), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const spec = {
        endpoint: 'listInterfaceTypes',
        ontologyRid: ontology.rid,
        objectTypeRid: undefined,
        items: [...ontology.interfaceTypes.values()],
        describe: interfaceTypeDescriber(ontology),
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listInterfaceTypes,
      }
      return serveMetadataPage(request, reply, spec, services)
    },
  )
}

/** Adds `getInterfaceType`. */
export function addGetInterfaceType(app: App): void {
  app.get(
    '/api/v2/ontologies/:ontology/interfaceTypes/:interfaceType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getInterfaceType',
        summary: 'Get an interface type (v2)',
        tags: ['v2'],
        params: InterfaceTypePath,
        querystring: V2Parameters,
        response: readResponses(InterfaceTypeResponse),
      },
    },
    async (request, reply) => {
      const { ontology, interfaceType } = resolveInterfacePath(request, request.params)
      return sendJson(reply, JSON.stringify(interfaceTypeDescriber(ontology)(interfaceType)))
    },
  )
}

/** Adds `listInterfaceLinkTypes`. */
export function addListInterfaceLinkTypes(app: App, services: Services): void {
  app.get(
    '/api/v2/ontologies/:ontology/interfaceTypes/:interfaceType/outgoingLinkTypes',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listInterfaceLinkTypes',
        summary: 'List the link types of an interface type (v2)',
        description: 'Ordered by API name, including those of the interfaces that it extends.',
        tags: ['v2'],
        params: InterfaceTypePath,
        querystring: v2Parameters(metadataPaging),
        response: readResponses(
          Type.Object({ data: Type.Array(InterfaceLinkResponse), nextPageToken: NextPageToken }),
        ),
      },
    },
    async (request, reply) => {
      const { ontology, interfaceType } = resolveInterfacePath(request, request.params)
      const spec = {
        endpoint: 'listInterfaceLinkTypes',
        ontologyRid: ontology.rid,
        objectTypeRid: interfaceType.rid,
        items: [...interfaceType.allLinks.values()],
        describe: interfaceLinkDescriber(ontology),
        paging: request.query,
        maximumPageSize: PAGE_SIZES.listLinkTypes,
      }
      return serveMetadataPage(request, reply, spec, services)
    },
  )
}

/** Adds `getInterfaceLinkType`. */
export function addGetInterfaceLinkType(app: App): void {
  app.get(
    '/api/v2/ontologies/:ontology/interfaceTypes/:interfaceType/outgoingLinkTypes/:interfaceLinkType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getInterfaceLinkType',
        summary: 'Get a link type of an interface type (v2)',
        tags: ['v2'],
        params: InterfaceLinkTypePath,
        querystring: V2Parameters,
        response: readResponses(InterfaceLinkResponse),
      },
    },
    async (request, reply) => {
      const { ontology, interfaceType } = resolveInterfacePath(request, request.params)
      const link = findInterfaceLink(interfaceType, request.params.interfaceLinkType)
      return sendJson(reply, JSON.stringify(interfaceLinkDescriber(ontology)(link)))
    },
  )
}
