import type { TSchema } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { findObjectType } from '../../ontology/catalogue.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import type { Endpoint } from '../endpoint.ts'
import { TypePath } from '../schemas/paths.ts'
import type { MetadataApi } from './metadata-api.ts'
import { metadataItem, metadataList, ontologySource } from './metadata-endpoints.ts'

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

type ObjectTypesSource = ReturnType<typeof objectTypesSource>

/** Returns the endpoint that lists object types. */
export function objectTypeList(source: ObjectTypesSource, operationId: string): Endpoint {
  return metadataList(source, {
    operationId,
    summary: 'List object types',
    maximumPageSize: PAGE_SIZES.listObjectTypes,
  })
}

/** Returns an endpoint that returns an object type. */
export function objectTypeItem(
  source: ObjectTypesSource,
  operationId: string,
  { summary = 'Get an object type', path = '' } = {},
): Endpoint {
  return metadataItem(source, {
    operationId,
    summary,
    path: `/:objectType${path}`,
    params: TypePath,
    find: ({ ontology }, { objectType }) => findObjectType(ontology, objectType),
  })
}
