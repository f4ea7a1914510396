import { Type } from 'typebox'
import type { App } from '../app.ts'
import { resolveOntology } from '../request/resolve.ts'
import { aggregateWithin, sendAggregated } from '../response/send-aggregated.ts'
import { closed } from '../schemas/common.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { AGGREGATION_DESCRIPTION } from './aggregate-objects.ts'
import { aggregationOfParts } from './aggregate-parts.ts'
import { AggregateV2Response, aggregationMembers } from './aggregate-schemas.ts'
import { ObjectSet } from './object-set-schema.ts'
import { V2Parameters } from './parameters.ts'
import { readRequestedSet } from './read-object-set.ts'

/** Adds `aggregateObjectSet`. */
export function addAggregateObjectSet(app: App, services: Services): void {
  app.post(
    '/api/v2/ontologies/:ontology/objectSets/aggregate',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'aggregateObjectSet',
        summary: 'Aggregate an object set (v2)',
        description: AGGREGATION_DESCRIPTION,
        tags: ['v2'],
        params: OntologyPath,
        querystring: V2Parameters,
        body: AggregateBody,
        response: responses(AggregateV2Response),
      },
    },
    async (request, reply) => {
      const { objectSet: _, ...body } = request.body
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const { parts } = await readRequestedSet(request.body, ontology, request.context, services)
      const spec = aggregationOfParts(parts, body, services.limits.query)
      const aggregated = await aggregateWithin(request.context, services, spec)
      return sendAggregated(reply, aggregated, { accuracy: 'ACCURATE' })
    },
  )
}

const AggregateBody = Type.Object({ ...aggregationMembers, objectSet: ObjectSet }, closed)
