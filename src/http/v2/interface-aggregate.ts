import { Type } from 'typebox'
import { asObjectType, queryOfType } from '../../query/interface-query.ts'
import { entityTypes } from '../../query/object-set/set-parts.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-types.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { App } from '../app.ts'
import { aggregateWithin, sendAggregated } from '../response/send-aggregated.ts'
import { closed, orNull } from '../schemas/common.ts'
import { InterfaceTypePath } from '../schemas/paths.ts'
import { queryBody } from '../schemas/query-body.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { AGGREGATION_DESCRIPTION } from './aggregate-objects.ts'
import { aggregationOfParts } from './aggregate-parts.ts'
import { AggregateV2Response, aggregationMembers } from './aggregate-schemas.ts'
import { resolveInterfacePath } from './interface-types.ts'
import { V2Parameters } from './parameters.ts'

/** Adds `aggregateInterfaceObjects`. */
export function addAggregateInterfaceObjects(app: App, services: Services): void {
  app.post(
    '/api/v2/ontologies/:ontology/interfaces/:interfaceType/aggregate',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'aggregateInterfaceObjects',
        summary: 'Aggregate the objects of an interface (v2)',
        description: `${AGGREGATION_DESCRIPTION}
Objects of all types that implement the interface are aggregated together. Every object type must
implement the aggregated properties.
`,
        tags: ['v2'],
        params: InterfaceTypePath,
        querystring: V2Parameters,
        body: AggregateBody,
        response: responses(AggregateV2Response),
      },
    },
    async (request, reply) => {
      const { where, ...body } = request.body
      const { interfaceType } = resolveInterfacePath(request, request.params)
      const { limits } = services
      const context = { objectType: asObjectType(interfaceType), limits: limits.query }
      const query = where == null ? EVERYTHING : parseQuery(V2_QUERIES, where, context)
      const parts = entityTypes(interfaceType).map((type) => ({
        ...type,
        query: type.view === undefined ? query : queryOfType(query, type.view),
      }))
      const spec = aggregationOfParts(parts, body, limits.query)
      const aggregated = await aggregateWithin(request.context, services, spec)
      return sendAggregated(reply, aggregated, { accuracy: 'ACCURATE' })
    },
  )
}

const AggregateBody = Type.Object(
  { ...aggregationMembers, where: Type.Optional(orNull(queryBody('v2'))) },
  closed,
)
