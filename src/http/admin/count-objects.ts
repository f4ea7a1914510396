import { Type } from 'typebox'
import type { App } from '../app.ts'
import { resolveOntology } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { NoParameters } from '../schemas/common.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

const CountsResponse = Type.Object({
  objectTypes: Type.Record(
    Type.String(),
    Type.Object({
      count: Type.Integer({ description: 'The number of objects.' }),
      version: Type.Integer({
        description: 'The version that has this many; 0 before the first write.',
      }),
    }),
    { description: 'The newest state of every object type, by API name.' },
  ),
})

/** Adds `getObjectCounts`: one read of the catalogue, however many types and objects there are. */
export function addCountObjects(app: App, { store }: Services): void {
  app.get(
    '/api/admin/v1/ontologies/:ontology/counts',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getObjectCounts',
        summary: 'Get the number of objects of every type',
        tags: ['Administration'],
        params: OntologyPath,
        querystring: NoParameters,
        response: readResponses(CountsResponse),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const states = new Map(
        (await store.readTypeStates(ontology.rid)).map((state) => [state.typeRid, state]),
      )
      const counts = [...ontology.objectTypes.values()].flatMap(({ apiName, rid }) => {
        const state = states.get(rid)
        // A type that was dropped since the catalogue was read has no state.
        return state === undefined
          ? []
          : [[apiName, { count: state.count, version: state.version }] as const]
      })
      return sendJson(reply, JSON.stringify({ objectTypes: Object.fromEntries(counts) }))
    },
  )
}
