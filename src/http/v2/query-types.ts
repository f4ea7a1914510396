import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import type { App } from '../app.ts'
import { V2 } from '../metadata/metadata-api.ts'
import { addMetadataList, ontologySource } from '../metadata/metadata-endpoints.ts'
import type { Services } from '../services.ts'

/** Adds `listQueryTypes`. An ontology defines no functions, so there are no query types. */
export function addListQueryTypes(app: App, services: Services): void {
  const source = ontologySource(V2, '/:ontology/queryTypes', Type.Unknown(), {
    items: () => [],
    describer: () => (item) => item,
  })
  addMetadataList(app, services, source, {
    operationId: 'listQueryTypes',
    summary: 'List query types',
    description: 'Always empty: ontologies here have no functions.',
    maximumPageSize: PAGE_SIZES.listQueryTypes,
  })
}
