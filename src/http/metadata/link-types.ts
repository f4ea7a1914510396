import type { Static, TSchema } from 'typebox'
import { resolveTypePath, type Viewer } from '../../access/resolve.ts'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { findLink, outgoingLinks } from '../../ontology/definition/links.ts'
import type { LinkSide, ObjectType } from '../../ontology/ontology.ts'
import type { Endpoint } from '../endpoint.ts'
import { LinkTypePath, TypePath } from '../schemas/paths.ts'
import type { MetadataApi } from './metadata-api.ts'
import { MetadataCollection } from './metadata-collection.ts'
import { metadataItem, metadataList } from './metadata-endpoints.ts'

/** The parts that differ between the APIs. */
interface LinkTypesSpec {
  readonly operationIds: { readonly list: string; readonly get: string }
  readonly describe: (side: LinkSide) => object
  readonly response: TSchema
}

/** Returns the endpoints of the link types of an object type. */
export function linkTypes(
  api: MetadataApi,
  { operationIds, describe, response }: LinkTypesSpec,
): readonly Endpoint[] {
  const source = {
    api,
    path: '/:ontology/objectTypes/:objectType/outgoingLinkTypes',
    params: TypePath,
    resolve: (viewer: Viewer, path: Static<typeof TypePath>) => {
      const { ontology, objectType } = resolveTypePath(viewer, path)
      return { ontology, owner: objectType }
    },
    collection: new MetadataCollection<ObjectType, LinkSide>({
      items: (objectType, ontology) => outgoingLinks(ontology, objectType),
      describer: () => describe,
    }),
    response,
  }
  const list = metadataList(source, {
    operationId: operationIds.list,
    summary: 'List the link types of an object type',
    maximumPageSize: PAGE_SIZES.listLinkTypes,
  })
  const get = metadataItem(source, {
    operationId: operationIds.get,
    summary: 'Get a link type of an object type',
    path: '/:linkType',
    params: LinkTypePath,
    find: ({ ontology, owner }, { linkType }) => findLink(ontology, owner, linkType),
  })
  return [list, get]
}
