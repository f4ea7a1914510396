import { Type } from 'typebox'
import type { Ontology } from '../../ontology/ontology.ts'
import type { App } from '../app.ts'
import { closed, readResponses } from '../openapi/schemas.ts'
import { resolveOntology } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'

/** The ontologies that a caller may see, revision 1.0. */
export function addOntologies(app: App): void {
  app.get(
    '/api/v1/ontologies',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listOntologies',
        summary: 'List ontologies (revision 1.0)',
        tags: ['Revision 1.0'],
        querystring: Type.Object({}, closed),
        response: readResponses(Type.Object({ data: Type.Array(OntologyResponse) })),
      },
    },
    async (request, reply) => {
      const { ontologies } = request.catalogue
      const data = ontologies
        .filter((ontology) => request.caller.maySee(ontology))
        .toSorted((a, b) => (a.apiName < b.apiName ? -1 : 1))
        .map(describeOntology)
      return sendJson(reply, JSON.stringify({ data }))
    },
  )

  app.get(
    '/api/v1/ontologies/:ontology',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getOntology',
        summary: 'Get an ontology (revision 1.0)',
        tags: ['Revision 1.0'],
        params: Type.Object({
          ontology: Type.String({ description: 'RID or API name of the ontology.' }),
        }),
        querystring: Type.Object({}, closed),
        response: readResponses(OntologyResponse),
      },
    },
    async (request, reply) => {
      const { catalogue } = request
      const ontology = resolveOntology(catalogue, request.caller, request.params.ontology)
      return sendJson(reply, JSON.stringify(describeOntology(ontology)))
    },
  )
}

const OntologyResponse = Type.Object(
  {
    apiName: Type.String(),
    displayName: Type.String(),
    description: Type.String(),
    rid: Type.String(),
  },
  {
    examples: [
      {
        apiName: 'aviation',
        displayName: 'Aviation',
        description: 'Airports and the countries they are in.',
        rid: 'ri.ontology.main.ontology.5f0b2a52-2c1f-4b0e-9a55-1f6d7c3c8a10',
      },
    ],
  },
)

/** All members are there in every ontology: published clients refuse one that lacks any. */
function describeOntology({ apiName, rid, definition }: Ontology) {
  const { displayName = apiName, description = '' } = definition
  return { apiName, displayName, description, rid }
}
