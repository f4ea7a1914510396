import { Type } from 'typebox'
import type { App } from '../app.ts'
import { resolveOntology } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import {
  describeFullOntology,
  describeOntology,
  FullOntologyResponse,
  OntologyResponse,
} from './metadata.ts'
import { V2Parameters } from './parameters.ts'

/** Adds `listOntologiesV2`, which returns the ontologies that are visible to the caller. */
export function addListOntologies(app: App): void {
  app.get(
    '/api/v2/ontologies',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listOntologiesV2',
        summary: 'List ontologies (v2)',
        tags: ['v2'],
        querystring: V2Parameters,
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

/** Adds `getOntologyV2`. */
export function addGetOntology(app: App): void {
  app.get(
    '/api/v2/ontologies/:ontology',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getOntologyV2',
        summary: 'Get an ontology (v2)',
        tags: ['v2'],
        params: OntologyPath,
        querystring: V2Parameters,
        response: readResponses(OntologyResponse),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      return sendJson(reply, JSON.stringify(describeOntology(ontology)))
    },
  )
}

/** Adds `getOntologyFullMetadata`. */
export function addGetFullOntology(app: App): void {
  app.get(
    '/api/v2/ontologies/:ontology/fullMetadata',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getOntologyFullMetadata',
        summary: 'Get an ontology with everything that it defines (v2)',
        tags: ['v2'],
        params: OntologyPath,
        querystring: V2Parameters,
        response: readResponses(FullOntologyResponse),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      return sendJson(reply, JSON.stringify(describeFullOntology(ontology)))
    },
  )
}
