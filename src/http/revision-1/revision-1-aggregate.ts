/** Aggregations in revision 1.0. The parser checks which members go together; its table documents them. */
import { Type } from 'typebox'
import { resolveTypePath } from '../../access/find-visible.ts'
import { ShownVersion } from '../../access/ruled-objects.ts'
import { closed, optional } from '../../contract/schema-parts.ts'
import { aggregationMembers, parseAggregation } from '../../query/aggregation/parse-aggregation.ts'
import { REVISION_1_AGGREGATIONS } from '../../query/aggregation/revision-1-aggregations.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-language.ts'
import { EVERYTHING } from '../../query/query.ts'
import { aggregateWithin } from '../../service/aggregate-within.ts'
import { endpoint } from '../endpoint.ts'
import { sendAggregated } from '../response/send-data.ts'
import { AggregatedVersion, groupMembers } from '../schemas/aggregation.ts'
import { queryBody } from '../schemas/query-body.ts'

const DESCRIPTION = `
Computes metrics over the current objects, or over those that match \`query\`, in total or by group.

**Metrics**

- \`count\`: the number of objects.
- \`sum\`, \`avg\`: of numbers. Whole numbers and decimals are summed exactly; only the result is rounded.
- \`min\`, \`max\`: of numbers, dates and timestamps. Dates and timestamps are returned in milliseconds
  since 1970-01-01T00:00:00Z.
- \`approximateDistinct\`: the number of distinct values of a comparable type. The count is exact.

Values are doubles. Numbers that JSON cannot represent are \`"NaN"\`, \`"Infinity"\` or \`"-Infinity"\`.
Objects without a value of the property are ignored; a \`sum\`, \`avg\`, \`min\` or \`max\` over no values
has no \`value\`. A sum or average is NaN if any value is NaN, or if both infinities occur. NaN counts
as larger than every number.

**Groups**

- \`exact\`: one group per value.
- \`fixedWidth\`: one group per multiple of the width, named by its start. NaN and infinities are in no
  group.
- \`ranges\`: one group per range. An object is in every range that contains its value, but in at most
  ten groups overall.
- \`duration\`: one group per interval in UTC, counted from 1970-01-01 and named by its start.

Objects without a value are in no group, and empty groups are omitted. Groups are ordered by value,
ranges as in the request. \`maxGroupCount\` keeps the groups with the most objects within each outer
group; of equal groups, the one with the smaller value. \`excludedItems\` is the number of objects in
the groups that were dropped.
`

export const aggregateObjects = endpoint({
  route: 'POST /api/v1/ontologies/:ontology/objects/:objectType/aggregate',
  config: { scope: 'api:ontologies-read', writes: 'nothing' },
  operationId: 'aggregateObjects',
  summary: 'Aggregate objects',
  description: DESCRIPTION,
  body: Type.Object(
    {
      ...aggregationMembers(REVISION_1_AGGREGATIONS),
      query: optional(queryBody(REVISION_1_QUERIES)),
      version: AggregatedVersion,
    },
    closed,
  ),
  response: Type.Object(groupMembers),
  handle: async (request, reply, services) => {
    const { query, version, ...aggregationBody } = request.body
    const { objectType } = resolveTypePath(request, request.params)
    const context = { objectType, limits: services.limits.query }
    const aggregation = parseAggregation(REVISION_1_AGGREGATIONS, aggregationBody, context)
    const matching = query == null ? EVERYTHING : parseQuery(REVISION_1_QUERIES, query, context)
    const source = { objectType, query: matching, version: ShownVersion.named(objectType, version) }
    const spec = { sources: [source], aggregation }
    const aggregated = await aggregateWithin(request.context, services, spec)
    return sendAggregated(reply, aggregated)
  },
})
