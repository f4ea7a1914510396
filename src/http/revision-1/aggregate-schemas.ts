/**
 * The request and the response of an aggregation. The parser checks which members go together;
 * `openapi/query-schemas.ts` documents them.
 */
import { Type } from 'typebox'
import { AGGREGATE_MAX_GROUPINGS, AGGREGATE_MAX_METRICS } from '../../contract/limits.ts'
import { GROUPING_COMPONENT, METRIC_COMPONENT } from '../openapi/query-schemas.ts'
import {
  AggregatedFieldName,
  AggregatedVersion,
  documentedAs,
  groupMembers,
  MetricName,
  PositiveInteger,
} from '../schemas/aggregation.ts'
import { closed, orNull } from '../schemas/common.ts'
import { queryBody } from '../schemas/query-body.ts'

const Metric = Type.Object(
  {
    type: Type.String(),
    field: Type.Optional(orNull(AggregatedFieldName)),
    name: MetricName,
  },
  documentedAs(METRIC_COMPONENT),
)

const Bound = Type.Optional(Type.Unknown())

const Range = Type.Object({ gte: Bound, gt: Bound, lt: Bound, lte: Bound }, closed)

const Grouping = Type.Object(
  {
    type: Type.String(),
    field: AggregatedFieldName,
    maxGroupCount: Type.Optional(orNull(PositiveInteger)),
    fixedWidth: Type.Optional(orNull(PositiveInteger)),
    ranges: Type.Optional(orNull(Type.Array(Range))),
    duration: Type.Optional(orNull(Type.String({ maxLength: 100 }))),
  },
  documentedAs(GROUPING_COMPONENT),
)

export const AggregateBody = Type.Object(
  {
    aggregation: Type.Array(Metric, { minItems: 1, maxItems: AGGREGATE_MAX_METRICS }),
    query: Type.Optional(orNull(queryBody('1.0'))),
    groupBy: Type.Optional(
      orNull(
        Type.Array(Grouping, {
          maxItems: AGGREGATE_MAX_GROUPINGS,
          description: 'The outermost grouping first, each by a different property.',
        }),
      ),
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
