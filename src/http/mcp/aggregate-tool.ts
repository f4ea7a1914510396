/** The tool that computes numbers about many objects. */
import { Type } from 'typebox'
import { anyMembers } from '../../contract/schema-parts.ts'
import {
  aggregationMembers,
  parseAggregation,
  type WrittenAggregation,
} from '../../query/aggregation/parse-aggregation.ts'
import { V2_AGGREGATIONS } from '../../query/aggregation/v2-aggregations.ts'
import { aggregateWithin } from '../../service/aggregate-within.ts'
import { conditionArguments, parseConditions } from './conditions.ts'
import { withNotes } from './small-answers.ts'
import { openType, tool, typeArguments } from './tool.ts'

const METRIC = `{"type": "count"}, or with a "field": sum, avg, min, max, exactDistinct, or approximatePercentile with "approximatePercentile": 95. "name" names it in the answer; "direction": "ASC" or "DESC" orders the groups by it.`
const GROUPING = `{"type": "exact", "field": "country", "maxGroupCount": 10} groups by value, {"type": "fixedWidth", "field": "age", "fixedWidth": 10} by steps, {"type": "duration", "field": "date", "value": 1, "unit": "MONTHS"} by time, {"type": "ranges", "field": "price", "ranges": [{"startValue": 0, "endValue": 10}]} by ranges.`

const members = aggregationMembers(V2_AGGREGATIONS)

/** The groups of one answer. */
const GROUPS = { default: 50, maximum: 1000 }

export const aggregateObjects = tool({
  name: 'aggregate_objects',
  title: 'Aggregate objects',
  description:
    'Counts, sums and compares all objects that match, in total or by group, without returning them. The results are exact.',
  input: {
    ...typeArguments,
    ...conditionArguments,
    aggregation: Type.Optional(
      Type.Array(anyMembers(METRIC), { description: 'The metrics. Default: [{"type": "count"}].' }),
    ),
    groupBy: Type.Optional(Type.Array(anyMembers(GROUPING))),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: GROUPS.maximum,
        description: `The number of groups in the answer. Default: ${GROUPS.default}.`,
      }),
    ),
  },
  // The schemas of v2 say the same at five times the length.
  strict: { aggregation: Type.Optional(members.aggregation), groupBy: members.groupBy },
  run: async (args, { request, services }) => {
    const type = await openType({ request, services }, args)
    const { objectType } = type
    const limits = services.limits.query
    const { aggregation: metrics = [{ type: 'count' }], groupBy, limit = GROUPS.default } = args
    const written = { aggregation: metrics, groupBy } as WrittenAggregation
    const aggregation = parseAggregation(V2_AGGREGATIONS, written, { objectType, limits })
    const query = parseConditions(args, type, limits)
    const spec = { sources: [{ objectType, query, version: undefined }], aggregation }
    const { records, excludedItems } = await aggregateWithin(request.context, services, spec)
    const groups = JSON.parse(`[${Buffer.concat(records).toString('utf8')}]`) as Group[]
    const more = groups.length - limit
    return {
      groups: groups.slice(0, limit).map(toSmallGroup),
      ...(excludedItems !== undefined && { objectsInOtherGroups: excludedItems }),
      ...withNotes(
        more > 0
          ? [
              `${more} more groups are not shown: raise "limit", or keep the first groups by a metric with "direction" and "maxGroupCount".`,
            ]
          : [],
      ),
    }
  },
})

interface Group {
  readonly group: Readonly<Record<string, unknown>>
  readonly metrics: readonly { readonly name: string; readonly value?: unknown }[]
}

function toSmallGroup({ group, metrics }: Group): object {
  return {
    ...(Object.keys(group).length > 0 && { group }),
    metrics: Object.fromEntries(metrics.map(({ name, value = null }) => [name, value])),
  }
}
