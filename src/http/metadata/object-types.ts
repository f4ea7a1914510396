import type { TSchema } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import { findObjectType } from '../../ontology/catalogue.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import type { App } from '../app.ts'
import { TypePath } from '../schemas/paths.ts'
import type { Services } from '../services.ts'
import type { MetadataApi } from './metadata-api.ts'
import { addMetadataItem, addMetadataList, ontologySource } from './metadata-endpoints.ts'

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

/** Adds the endpoint that lists object types. */
export function addObjectTypeList(
  app: App,
  services: Services,
  source: ObjectTypesSource,
  operationId: string,
): void {
  addMetadataList(app, services, source, {
    operationId,
    summary: 'List object types',
    maximumPageSize: PAGE_SIZES.listObjectTypes,
  })
}

/** Adds an endpoint that returns an object type. */
export function addObjectTypeItem(
  app: App,
  source: ObjectTypesSource,
  operationId: string,
  { summary = 'Get an object type', path = '' } = {},
): void {
  addMetadataItem(app, source, {
    operationId,
    summary,
    path: `/:objectType${path}`,
    params: TypePath,
    find: ({ ontology }, { objectType }) => findObjectType(ontology, objectType),
  })
}
