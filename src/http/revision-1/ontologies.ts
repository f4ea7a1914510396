import { Type } from 'typebox'
import type { App } from '../app.ts'
import { resolveOntology } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { NoParameters } from '../schemas/common.ts'
import { describeOntology, OntologyResponse } from '../schemas/metadata.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'

/** Adds `listOntologies`, which returns the ontologies that are visible to the caller. */
export function addListOntologies(app: App): void {
  app.get(
    '/api/v1/ontologies',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listOntologies',
        summary: 'List ontologies (revision 1.0)',
        tags: ['Revision 1.0'],
        querystring: NoParameters,
        response: readResponses(Type.Object({ data: Type.Array(OntologyResponse) })),
      },
    },
    async (request, reply) => {
      const data = request.catalogue.ontologies
        .filter((ontology) => request.caller.maySee(ontology))
        .toSorted((a, b) => (a.apiName < b.apiName ? -1 : 1))
        .map(describeOntology)
      return sendJson(reply, JSON.stringify({ data }))
    },
  )
}

/** Adds `getOntology`. */
export function addGetOntology(app: App): void {
  app.get(
    '/api/v1/ontologies/:ontology',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getOntology',
        summary: 'Get an ontology (revision 1.0)',
        tags: ['Revision 1.0'],
        params: OntologyPath,
        querystring: NoParameters,
        response: readResponses(OntologyResponse),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      return sendJson(reply, JSON.stringify(describeOntology(ontology)))
    },
  )
}
