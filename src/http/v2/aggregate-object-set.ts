import { Type } from 'typebox'
import { resolveOntology } from '../../access/resolve.ts'
import { closed } from '../../contract/schema-parts.ts'
import { hasLink } from '../../query/linked-types.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import { aggregateWithin } from '../../service/aggregate-within.ts'
import { aggregationOfParts } from '../../service/object-sets/aggregate-parts.ts'
import { readRequestedSet } from '../../service/object-sets/read-object-set.ts'
import type { AggregateRequest } from '../../store/object-store.ts'
import type { App } from '../app.ts'
import { sendAggregated } from '../response/send-aggregated.ts'
import { AggregatedVersion } from '../schemas/aggregation.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { responses } from '../schemas/responses.ts'
import { V2Parameters } from '../schemas/v2-parameters.ts'
import type { Services } from '../services.ts'
import { AGGREGATION_DESCRIPTION } from './aggregate-objects.ts'
import { AggregateV2Response, aggregationMembers } from './aggregate-schemas.ts'
import { ObjectSet } from './object-set-schema.ts'

/** Adds `aggregateObjectSet`. */
export function addAggregateObjectSet(app: App, services: Services): void {
  app.post(
    '/api/v2/ontologies/:ontology/objectSets/aggregate',
    {
      config: { scope: 'api:ontologies-read', writes: 'nothing' },
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
      const { objectSet: _, version, ...body } = request.body
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const requested = await readRequestedSet(request.body, ontology, request.context, services)
      const { parts, listedTypes } = requested
      if (version != null && listedTypes !== undefined) {
        throw unprocessable('version', 'is not possible for a set that lists objects')
      }
      const spec = asOfVersion(aggregationOfParts(parts, body, services.limits.query), version)
      const aggregated = await aggregateWithin(request.context, services, spec)
      return sendAggregated(reply, aggregated, { accuracy: 'ACCURATE' })
    },
  )
}

const AggregateBody = Type.Object(
  { ...aggregationMembers, objectSet: ObjectSet, version: AggregatedVersion },
  closed,
)

/** Versions belong to object types, so that only a set of one type has a single version. */
function asOfVersion<Spec extends Pick<AggregateRequest, 'sources'>>(
  spec: Spec,
  version: number | null | undefined,
): Spec {
  const [source, ...others] = spec.sources
  if (version == null || source === undefined) return spec
  if (others.length > 0 || hasLink(source.query)) {
    throw unprocessable('version', 'is only possible for a set of one object type, without links')
  }
  return { ...spec, sources: [{ ...source, version }] }
}
