/** The endpoints that list ontologies and return one of them. */
import { type TSchema, Type } from 'typebox'
import { visibleOntologies } from '../../access/policies/visible-ontologies.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { sendJson } from '../response/send-json.ts'
import { describeOntology, OntologyResponse } from '../schemas/metadata-items.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { MetadataApi } from './metadata-api.ts'
import { metadataItem, ontologySource } from './metadata-endpoints.ts'

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

export function ontologies(api: MetadataApi, operationIds: OperationIds): readonly Endpoint[] {
  const { root, tag, label, parameters } = api
  const source = ontologyItself(api, OntologyResponse, ({ rid, definition }) =>
    describeOntology({ ...definition, rid }),
  )
  const list = endpoint({
    route: `GET ${root}`,
    config: { scope: 'api:ontologies-read' },
    operationId: operationIds.list,
    summary: `List ontologies (${label})`,
    tags: [tag],
    querystring: parameters({}),
    response: readResponses(Type.Object({ data: Type.Array(OntologyResponse) })),
    handle: async (request, reply, services) => {
      const visible = await visibleOntologies(request, services)
      const rids = new Set(visible.map(({ rid }) => rid))
      const summaries = await services.store.readOntologySummaries()
      const data = summaries.filter(({ rid }) => rids.has(rid)).map(describeOntology)
      return sendJson(reply, JSON.stringify({ data }))
    },
  })
  const get = metadataItem(source, {
    operationId: operationIds.get,
    summary: 'Get an ontology',
    path: '/:ontology',
    params: OntologyPath,
    find: ({ ontology }) => ontology,
  })
  return [list, get]
}
