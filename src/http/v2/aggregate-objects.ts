import { Type } from 'typebox'
import { parseAggregation } from '../../query/aggregation/parse-aggregation.ts'
import { V2_AGGREGATIONS } from '../../query/aggregation/v2-aggregations.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-types.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { App } from '../app.ts'
import { resolveTypePath } from '../request/resolve.ts'
import { aggregateWithin, sendAggregated } from '../response/send-aggregated.ts'
import { AggregatedVersion } from '../schemas/aggregation.ts'
import { closed, orNull } from '../schemas/common.ts'
import { TypePath } from '../schemas/paths.ts'
import { queryBody } from '../schemas/query-body.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { AggregateV2Response, aggregationMembers } from './aggregate-schemas.ts'
import { V2Parameters } from './parameters.ts'

/** Adds `aggregateObjectsV2`. */
export function addAggregateObjects(app: App, services: Services): void {
  app.post(
    '/api/v2/ontologies/:ontology/objects/:objectType/aggregate',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'aggregateObjectsV2',
        summary: 'Aggregate objects (v2)',
        description: AGGREGATION_DESCRIPTION,
        tags: ['v2'],
        params: TypePath,
        querystring: V2Parameters,
        body: AggregateBody,
        response: responses(AggregateV2Response),
      },
    },
    async (request, reply) => {
      const { where, version, ...body } = request.body
      const { objectType } = resolveTypePath(request, request.params)
      const context = { objectType, limits: services.limits.query }
      const aggregation = parseAggregation(V2_AGGREGATIONS, body, context)
      const query = where == null ? EVERYTHING : parseQuery(V2_QUERIES, where, context)
      const source = { objectType, query, version: version ?? undefined }
      const spec = { sources: [source], aggregation }
      const aggregated = await aggregateWithin(request.context, services, spec)
      return sendAggregated(reply, aggregated, { accuracy: 'ACCURATE' })
    },
  )
}

const AggregateBody = Type.Object(
  {
    ...aggregationMembers,
    where: Type.Optional(orNull(queryBody('v2'))),
    version: AggregatedVersion,
  },
  closed,
)

/** What every aggregation of v2 does. */
export const AGGREGATION_DESCRIPTION = `
Computes metrics over the current objects of a selection, in total or by group.

**Metrics**

- \`count\`: the number of objects.
- \`sum\`, \`avg\`: of numbers. Whole numbers and decimals are summed exactly; only the result is rounded.
- \`min\`, \`max\`: of numbers, dates, timestamps and strings, which compare by code point.
- \`approximateDistinct\`, \`exactDistinct\`: the number of distinct values. Both are exact.
- \`approximatePercentile\`: of numbers, dates and timestamps. The smallest value that at least
  \`approximatePercentile\` percent of the values do not exceed (nearest rank). It is exact.

Numbers are doubles; those that JSON cannot represent are \`"NaN"\`, \`"Infinity"\` or \`"-Infinity"\`.
Dates, timestamps and strings are returned as in objects. Objects without a value of the property are
ignored; a metric over no values has no \`value\`, except for counts.

**Groups**

- \`exact\`: one group per value. Objects without a value are in no group, in the group \`null\`
  (\`includeNullValues\`) or in the group of \`defaultValue\`.
- \`fixedWidth\`: one group per multiple of the width, named by its start.
- \`ranges\`: one group per range. An object is in every range that contains its value, but in at most
  ten groups overall.
- \`duration\`: one group per interval in UTC, named by its start. Intervals of milliseconds to days
  count from 1970-01-01; weeks start on Monday; months, quarters and years are those of the calendar.

Empty groups are omitted. Groups are ordered by the metrics with a \`direction\`, then by value; ranges
as in the request. Groups without a value of such a metric come last. \`maxGroupCount\` keeps the first
groups in the order of the metrics, otherwise those with the most objects within each outer group.
\`excludedItems\` is the number of objects in the groups that were dropped.
`
