import type { App } from '../app.ts'
import { V2 } from '../metadata/metadata-api.ts'
import { addMetadataItem, ownedByOntology } from '../metadata/metadata-endpoints.ts'
import { addOntologies, ontologyCollection } from '../metadata/ontologies.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { describeFullOntology, FullOntologyResponse } from './metadata.ts'

/** Adds `listOntologiesV2`, `getOntologyV2` and `getOntologyFullMetadata`. */
export function addV2Ontologies(app: App): void {
  addOntologies(app, V2, { list: 'listOntologiesV2', get: 'getOntologyV2' })
  const full = {
    api: V2,
    path: '',
    params: OntologyPath,
    resolve: ownedByOntology,
    collection: ontologyCollection(describeFullOntology),
    response: FullOntologyResponse,
  }
  addMetadataItem(app, full, {
    operationId: 'getOntologyFullMetadata',
    summary: 'Get an ontology with everything that it defines',
    path: '/:ontology/fullMetadata',
    params: OntologyPath,
    find: ({ ontology }) => ontology,
  })
}
