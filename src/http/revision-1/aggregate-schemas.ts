/**
 * The request and the response of an aggregation. The parser checks which members go together;
 * `openapi/query-schemas.ts` documents them.
 */
import { Type } from 'typebox'
import {
  AGGREGATE_MAX_GROUPINGS,
  AGGREGATE_MAX_METRICS,
  API_NAME_MAX_LENGTH,
  WIRE_INTEGER_MAX,
} from '../../contract/limits.ts'
import { DOCUMENTED_AS, GROUPING_COMPONENT, METRIC_COMPONENT } from '../openapi/query-schemas.ts'
import { closed, orNull } from '../schemas/common.ts'
import { queryBody } from '../schemas/query-body.ts'

/** Long enough for a struct field, so that the parser can reject one by name. */
const FieldName = Type.String({ maxLength: 3 * API_NAME_MAX_LENGTH })

const PositiveInteger = Type.Integer({ minimum: 1, maximum: WIRE_INTEGER_MAX })

/** The parser rejects unknown members, and names the members of each type. */
function documentedAs(component: string) {
  return { additionalProperties: true, [DOCUMENTED_AS]: component }
}

const Metric = Type.Object(
  {
    type: Type.String(),
    field: Type.Optional(orNull(FieldName)),
    name: Type.Optional(orNull(Type.String({ minLength: 1, maxLength: 2 * API_NAME_MAX_LENGTH }))),
  },
  documentedAs(METRIC_COMPONENT),
)

const Bound = Type.Optional(Type.Unknown())

const Range = Type.Object({ gte: Bound, gt: Bound, lt: Bound, lte: Bound }, closed)

const Grouping = Type.Object(
  {
    type: Type.String(),
    field: FieldName,
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
  },
  closed,
)

export const AggregateResponse = Type.Object({
  excludedItems: Type.Optional(
    Type.Integer({ description: 'The number of objects in groups that `maxGroupCount` dropped.' }),
  ),
  data: Type.Array(
    Type.Object({
      group: Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'The value, the start or the range, by property. Empty without `groupBy`.',
        },
      ),
      metrics: Type.Array(
        Type.Object({
          name: Type.String(),
          value: Type.Optional(
            Type.Unsafe<number | string>({
              type: ['number', 'string'],
              description: 'A double; absent if there are no values to compute it from.',
            }),
          ),
        }),
      ),
    }),
    { description: 'The groups. Exactly one without `groupBy`.' },
  ),
})
