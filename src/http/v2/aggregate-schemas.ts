/**
 * The request and the response of an aggregation in v2. The parser checks which members go together;
 * `openapi/v2-aggregation-schemas.ts` documents them.
 */
import { Type } from 'typebox'
import {
  AGGREGATE_MAX_GROUPINGS,
  AGGREGATE_MAX_METRICS,
  WIRE_INTEGER_MAX,
} from '../../contract/limits.ts'
import { V2_GROUPING_COMPONENT, V2_METRIC_COMPONENT } from '../openapi/v2-aggregation-schemas.ts'
import {
  AggregatedFieldName,
  AggregatedVersion,
  documentedAs,
  groupMembers,
  MetricName,
  PositiveInteger,
} from '../schemas/aggregation.ts'
import { closed, orNull } from '../schemas/common.ts'
import { ignoredMembers, where } from './body-members.ts'

const property = {
  field: Type.Optional(orNull(AggregatedFieldName)),
  propertyIdentifier: Type.Optional(Type.Unknown()),
}

const Metric = Type.Object(
  {
    type: Type.String(),
    ...property,
    name: MetricName,
    direction: Type.Optional(Type.Unsafe<'ASC' | 'DESC' | null>({ enum: ['ASC', 'DESC', null] })),
    approximatePercentile: Type.Optional(orNull(Type.Number())),
  },
  documentedAs(V2_METRIC_COMPONENT),
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
    maxGroupCount: Type.Optional(orNull(PositiveInteger)),
    defaultValue: Type.Optional(orNull(Type.String())),
    includeNullValues: Type.Optional(orNull(Type.Boolean())),
    fixedWidth: Type.Optional(orNull(PositiveInteger)),
    ranges: Type.Optional(
      orNull(Type.Array(Type.Object({ startValue: Bound, endValue: Bound }, closed))),
    ),
    value: Type.Optional(orNull(Type.Integer({ maximum: WIRE_INTEGER_MAX }))),
    unit: Type.Optional(orNull(Type.String({ maxLength: 100 }))),
    box: Type.Optional(orNull(GeoBox)),
    columns: Type.Optional(orNull(PositiveInteger)),
    rows: Type.Optional(orNull(PositiveInteger)),
  },
  documentedAs(V2_GROUPING_COMPONENT),
)

/** The members of every aggregation, besides those that select objects. */
export const aggregationMembers = {
  aggregation: Type.Array(Metric, { minItems: 1, maxItems: AGGREGATE_MAX_METRICS }),
  groupBy: Type.Optional(
    orNull(
      Type.Array(Grouping, {
        maxItems: AGGREGATE_MAX_GROUPINGS,
        description: 'The outermost grouping first, each by a different property.',
      }),
    ),
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
