/** Adds the endpoints that list ontologies and return one of them. */
import { type TSchema, Type } from 'typebox'
import { visibleOntologies } from '../../access/policies/visible-ontologies.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { App } from '../app.ts'
import { sendJson } from '../response/send-json.ts'
import { describeOntology, OntologyResponse } from '../schemas/metadata.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import type { MetadataApi } from './metadata-api.ts'
import { addMetadataItem, ontologySource } from './metadata-endpoints.ts'

/** Returns an ontology as the only item of a collection of its own. */
export function ontologyItself(
  api: MetadataApi,
  response: TSchema,
  describe: (ontology: Ontology) => object,
) {
  return ontologySource(api, '', response, {
    items: (ontology) => [ontology],
    describer: () => describe,
  })
}

interface OperationIds {
  readonly list: string
  readonly get: string
}

export function addOntologies(
  app: App,
  services: Services,
  api: MetadataApi,
  operationIds: OperationIds,
): void {
  const { root, tag, label, parameters } = api
  const source = ontologyItself(api, OntologyResponse, ({ rid, definition }) =>
    describeOntology({ ...definition, rid }),
  )
  app.get(
    root,
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: operationIds.list,
        summary: `List ontologies (${label})`,
        tags: [tag],
        querystring: parameters({}),
        response: readResponses(Type.Object({ data: Type.Array(OntologyResponse) })),
      },
    },
    async (request, reply) => {
      const visible = await visibleOntologies(request, services)
      const rids = new Set(visible.map(({ rid }) => rid))
      const summaries = await services.store.readOntologySummaries()
      const data = summaries.filter(({ rid }) => rids.has(rid)).map(describeOntology)
      return sendJson(reply, JSON.stringify({ data }))
    },
  )
  addMetadataItem(app, source, {
    operationId: operationIds.get,
    summary: 'Get an ontology',
    path: '/:ontology',
    params: OntologyPath,
    find: ({ ontology }) => ontology,
  })
}
