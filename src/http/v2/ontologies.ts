import type { App } from '../app.ts'
import { V2 } from '../metadata/metadata-api.ts'
import { addMetadataItem } from '../metadata/metadata-endpoints.ts'
import { addOntologies, ontologyItself } from '../metadata/ontologies.ts'
import { OntologyPath } from '../schemas/paths.ts'
import type { Services } from '../services.ts'
import { describeFullOntology, FullOntologyResponse } from './metadata.ts'

/** Adds `listOntologiesV2`, `getOntologyV2` and `getOntologyFullMetadata`. */
export function addV2Ontologies(app: App, services: Services): void {
  addOntologies(app, services, V2, { list: 'listOntologiesV2', get: 'getOntologyV2' })
  const full = ontologyItself(V2, FullOntologyResponse, describeFullOntology)
  addMetadataItem(app, full, {
    operationId: 'getOntologyFullMetadata',
    summary: 'Get an ontology with everything that it defines',
    path: '/:ontology/fullMetadata',
    params: OntologyPath,
    find: ({ ontology }) => ontology,
  })
}
