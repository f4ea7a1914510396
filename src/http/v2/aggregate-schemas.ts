/**
 * The request and the response of an aggregation in v2. The parser checks which members go together;
 * its table documents them.
 */
import { Type } from 'typebox'
import {
  AGGREGATE_MAX_GROUPINGS,
  AGGREGATE_MAX_METRICS,
  WIRE_INTEGER_MAX,
} from '../../contract/limits.ts'
import { closed, optional } from '../../contract/schema-parts.ts'
import { V2_AGGREGATIONS } from '../../query/aggregation/v2-aggregations.ts'
import {
  AggregatedFieldName,
  AggregatedVersion,
  groupMembers,
  MetricName,
  PositiveInteger,
} from '../schemas/aggregation.ts'
import { documentedAs } from '../schemas/documented.ts'
import { ignoredMembers, where } from './body-members.ts'

const property = {
  field: optional(AggregatedFieldName),
  propertyIdentifier: Type.Optional(Type.Unknown()),
}

const Metric = Type.Object(
  {
    type: Type.String(),
    ...property,
    name: MetricName,
    direction: Type.Optional(Type.Unsafe<'ASC' | 'DESC' | null>({ enum: ['ASC', 'DESC', null] })),
    approximatePercentile: optional(Type.Number()),
  },
  documentedAs(V2_AGGREGATIONS.components.metric),
)

const Bound = Type.Optional(Type.Unknown())

const GeoBox = Type.Object(
  { west: Type.Number(), south: Type.Number(), east: Type.Number(), north: Type.Number() },
  closed,
)

const Grouping = Type.Object(
  {
    type: Type.String(),
    ...property,
    maxGroupCount: optional(PositiveInteger),
    defaultValue: optional(Type.String()),
    includeNullValues: optional(Type.Boolean()),
    fixedWidth: optional(PositiveInteger),
    ranges: optional(Type.Array(Type.Object({ startValue: Bound, endValue: Bound }, closed))),
    value: optional(Type.Integer({ maximum: WIRE_INTEGER_MAX })),
    unit: optional(Type.String({ maxLength: 100 })),
    box: optional(GeoBox),
    columns: optional(PositiveInteger),
    rows: optional(PositiveInteger),
  },
  documentedAs(V2_AGGREGATIONS.components.grouping),
)

/** The members of every aggregation, besides those that select objects. */
export const aggregationMembers = {
  aggregation: Type.Array(Metric, { minItems: 1, maxItems: AGGREGATE_MAX_METRICS }),
  groupBy: optional(
    Type.Array(Grouping, {
      maxItems: AGGREGATE_MAX_GROUPINGS,
      description: 'The outermost grouping first, each by a different property.',
    }),
  ),
  accuracy: Type.Optional(
    Type.Unsafe<'REQUIRE_ACCURATE' | 'ALLOW_APPROXIMATE' | null>({
      enum: ['REQUIRE_ACCURATE', 'ALLOW_APPROXIMATE', null],
      description: 'Has no effect: results are always accurate.',
    }),
  ),
  includeComputeUsage: ignoredMembers.includeComputeUsage,
}

/** The body of an aggregation over the objects that match conditions. */
export const AggregateBody = Type.Object(
  { ...aggregationMembers, where, version: AggregatedVersion },
  closed,
)

export const AggregateV2Response = Type.Object({
  accuracy: Type.Enum(['ACCURATE', 'APPROXIMATE'], {
    description: 'Always `ACCURATE`: no metric is estimated, and no group is dropped silently.',
  }),
  ...groupMembers(
    Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description:
        'A double; for the `min`, `max` or percentile of texts, dates and timestamps, the value itself. Absent if there are no values to compute it from.',
    }),
  ),
})
