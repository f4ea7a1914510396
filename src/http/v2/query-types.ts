import { Type } from 'typebox'
import { PAGE_SIZES } from '../../contract/limits.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { App } from '../app.ts'
import { V2 } from '../metadata/metadata-api.ts'
import { MetadataCollection } from '../metadata/metadata-collection.ts'
import { addMetadataList, ownedByOntology } from '../metadata/metadata-endpoints.ts'
import { OntologyPath } from '../schemas/paths.ts'
import type { Services } from '../services.ts'

/** Adds `listQueryTypes`. An ontology defines no functions, so there are no query types. */
export function addListQueryTypes(app: App, services: Services): void {
  const source = {
    api: V2,
    path: '/:ontology/queryTypes',
    params: OntologyPath,
    resolve: ownedByOntology,
    collection: new MetadataCollection<Ontology, Ontology>({
      items: () => [],
      describer: () => (item) => item,
    }),
    response: Type.Unknown(),
  }
  addMetadataList(app, services, source, {
    operationId: 'listQueryTypes',
    summary: 'List query types',
    description: 'Always empty: ontologies here have no functions.',
    maximumPageSize: PAGE_SIZES.listQueryTypes,
  })
}
