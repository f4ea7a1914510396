/**
 * The request and the response of an aggregation. The parser checks which members go together;
 * its table documents them.
 */
import { Type } from 'typebox'
import { AGGREGATE_MAX_GROUPINGS, AGGREGATE_MAX_METRICS } from '../../contract/limits.ts'
import { closed, optional } from '../../contract/schema-parts.ts'
import { REVISION_1_AGGREGATIONS } from '../../query/aggregation/revision-1-aggregations.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-types.ts'
import {
  AggregatedFieldName,
  AggregatedVersion,
  groupMembers,
  MetricName,
  PositiveInteger,
} from '../schemas/aggregation.ts'
import { documentedAs } from '../schemas/documented.ts'
import { queryBody } from '../schemas/query-body.ts'

const Metric = Type.Object(
  {
    type: Type.String(),
    field: optional(AggregatedFieldName),
    name: MetricName,
  },
  documentedAs(REVISION_1_AGGREGATIONS.components.metric),
)

const Bound = Type.Optional(Type.Unknown())

const Range = Type.Object({ gte: Bound, gt: Bound, lt: Bound, lte: Bound }, closed)

const Grouping = Type.Object(
  {
    type: Type.String(),
    field: AggregatedFieldName,
    maxGroupCount: optional(PositiveInteger),
    fixedWidth: optional(PositiveInteger),
    ranges: optional(Type.Array(Range)),
    duration: optional(Type.String({ maxLength: 100 })),
  },
  documentedAs(REVISION_1_AGGREGATIONS.components.grouping),
)

export const AggregateBody = Type.Object(
  {
    aggregation: Type.Array(Metric, { minItems: 1, maxItems: AGGREGATE_MAX_METRICS }),
    query: optional(queryBody(REVISION_1_QUERIES)),
    groupBy: optional(
      Type.Array(Grouping, {
        maxItems: AGGREGATE_MAX_GROUPINGS,
        description: 'The outermost grouping first, each by a different property.',
      }),
    ),
    version: AggregatedVersion,
  },
  closed,
)

export const AggregateResponse = Type.Object(
  groupMembers(
    Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: 'A double; absent if there are no values to compute it from.',
    }),
  ),
)
