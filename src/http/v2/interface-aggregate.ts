import { resolveInterfacePath } from '../../access/resolve.ts'
import { asObjectType } from '../../query/interface-query.ts'
import { interfaceParts } from '../../query/object-set/set-parts.ts'
import { aggregateWithin } from '../../service/aggregate-within.ts'
import { aggregationOfParts } from '../../service/object-sets/aggregate-parts.ts'
import type { App } from '../app.ts'
import { sendAggregated } from '../response/send-aggregated.ts'
import { InterfaceTypePath } from '../schemas/paths.ts'
import { responses } from '../schemas/responses.ts'
import { V2Parameters } from '../schemas/v2-parameters.ts'
import type { Services } from '../services.ts'
import { AGGREGATION_DESCRIPTION } from './aggregate-objects.ts'
import { AggregateBody, AggregateV2Response } from './aggregate-schemas.ts'
import { parseWhere } from './body-members.ts'

const INTERFACE_DESCRIPTION = `${AGGREGATION_DESCRIPTION}
Objects of all types that implement the interface are aggregated together. Every object type must
implement the aggregated properties.
`

/** Adds `aggregateInterfaceObjects`. */
export function addAggregateInterfaceObjects(app: App, services: Services): void {
  app.post(
    '/api/v2/ontologies/:ontology/interfaces/:interfaceType/aggregate',
    {
      config: { scope: 'api:ontologies-read', writes: 'nothing' },
      schema: {
        operationId: 'aggregateInterfaceObjects',
        summary: 'Aggregate the objects of an interface (v2)',
        description: INTERFACE_DESCRIPTION,
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
      const limits = services.limits.query
      const query = parseWhere(where, asObjectType(interfaceType), limits)
      const spec = aggregationOfParts(interfaceParts(interfaceType, query), body, limits)
      const aggregated = await aggregateWithin(request.context, services, spec)
      return sendAggregated(reply, aggregated, { accuracy: 'ACCURATE' })
    },
  )
}
