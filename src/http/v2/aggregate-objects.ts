import { resolveTypePath } from '../../access/resolve.ts'
import { GEO_GRID_MAX_SIDE } from '../../query/aggregation/geo-grid.ts'
import { parseAggregation } from '../../query/aggregation/parse-aggregation.ts'
import { V2_AGGREGATIONS } from '../../query/aggregation/v2-aggregations.ts'
import { aggregateWithin } from '../../service/aggregate-within.ts'
import type { App } from '../app.ts'
import { sendAggregated } from '../response/send-aggregated.ts'
import { TypePath } from '../schemas/paths.ts'
import { responses } from '../schemas/responses.ts'
import { V2Parameters } from '../schemas/v2-parameters.ts'
import type { Services } from '../services.ts'
import { AggregateBody, AggregateV2Response } from './aggregate-schemas.ts'
import { parseWhere } from './body-members.ts'

/** Adds `aggregateObjectsV2`. */
export function addAggregateObjects(app: App, services: Services): void {
  app.post(
    '/api/v2/ontologies/:ontology/objects/:objectType/aggregate',
    {
      config: { scope: 'api:ontologies-read', writes: 'nothing' },
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
      const limits = services.limits.query
      const aggregation = parseAggregation(V2_AGGREGATIONS, body, { objectType, limits })
      const query = parseWhere(where, objectType, limits)
      const spec = { sources: [{ objectType, query, version: version ?? undefined }], aggregation }
      const aggregated = await aggregateWithin(request.context, services, spec)
      return sendAggregated(reply, aggregated, { accuracy: 'ACCURATE' })
    },
  )
}

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
  (\`includeNullValues\`) or in the group of \`defaultValue\`. An array puts its object into the
  group of each distinct element, once; \`includeNullValues\` and \`defaultValue\` are not supported
  for arrays.
- \`fixedWidth\`: one group per multiple of the width, named by its start.
- \`ranges\`: one group per range. An object is in every range that contains its value, but in at most
  ten groups overall.
- \`duration\`: one group per interval in UTC, named by its start. Intervals of milliseconds to days
  count from 1970-01-01; weeks start on Monday; months, quarters and years are those of the calendar.
- \`geoGrid\` (an extension of this service): one group per cell of a grid over a box, for geopoints.
  The value of a group is the cell: \`{"west", "south", "east", "north"}\`. The box has 1 to ${GEO_GRID_MAX_SIDE}
  \`columns\` and \`rows\`, together at most as many cells as an aggregation may have groups. A position
  between two cells belongs to the eastern or northern one. Cells are ordered from south to north,
  then from west to east.

Empty groups are omitted. Groups are ordered by the metrics with a \`direction\`, then by value; ranges
as in the request. Groups without a value of such a metric come last. \`maxGroupCount\` keeps the first
groups in the order of the metrics, otherwise those with the most objects within each outer group.
\`excludedItems\` is the number of objects in the groups that were dropped.
`
