import { Type } from 'typebox'
import { resolveOntology } from '../../access/find-visible.ts'
import { ShownVersion } from '../../access/ruled-objects.ts'
import { integer, namedObject } from '../../contract/schema-parts.ts'
import { countObjectsOf } from '../../service/pages/probe-request.ts'
import { endpoint } from '../endpoint.ts'
import { sendJson } from '../response/send-data.ts'

const CountsResponse = Type.Object({
  objectTypes: Type.Record(
    Type.String(),
    namedObject('ObjectCount', {
      count: integer('The number of objects.'),
      version: integer(
        'The version that has this many; 0 before the first write, and if a policy hides a part of the type.',
      ),
    }),
    { description: 'The newest state of every object type, by API name.' },
  ),
})

export const getObjectCounts = endpoint({
  route: 'GET /api/admin/v1/ontologies/:ontology/counts',
  config: { scope: 'api:ontologies-read' },
  operationId: 'getObjectCounts',
  summary: 'Get the number of objects of every type',
  description:
    'Counts are exact and kept with each commit, so that the request costs the same for any number of objects.',
  response: CountsResponse,
  handle: async (request, reply, services) => {
    const { context } = request
    const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
    const states = new Map(
      (await services.store.readTypeStates(ontology.rid)).map((state) => [state.typeRid, state]),
    )
    const counts = new Map<string, { readonly count: number; readonly version: number }>()
    for (const objectType of ontology.objectTypes.values()) {
      const state = states.get(objectType.rid)
      // A type that was dropped since the catalogue was read has no state.
      if (state === undefined) continue
      const version = ShownVersion.read([objectType], state.version)
      const count = version ? state.count : await countObjectsOf(objectType, context, services)
      counts.set(objectType.apiName, { count, version: version?.number ?? 0 })
    }
    // The audit record names the ontology alone: a list of up to 2,000 types would only make it
    // long.
    context.noteRead([], 0)
    return sendJson(reply, JSON.stringify({ objectTypes: Object.fromEntries(counts) }))
  },
})
