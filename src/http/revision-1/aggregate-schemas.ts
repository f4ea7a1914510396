/** The request and the response of an aggregation. Its parser checks which members go together. */
import { Type } from 'typebox'
import {
  AGGREGATE_MAX_GROUPINGS,
  AGGREGATE_MAX_METRICS,
  API_NAME_MAX_LENGTH,
  WIRE_INTEGER_MAX,
} from '../../contract/limits.ts'
import { closed, orNull } from '../schemas/common.ts'
import { queryBody } from '../schemas/query-body.ts'

/** Long enough for a struct field, so that the parser can reject one by name. */
const FieldName = Type.String({
  maxLength: 3 * API_NAME_MAX_LENGTH,
  description: '`properties.NAME`',
})

const PositiveInteger = { minimum: 1, maximum: WIRE_INTEGER_MAX }

const Metric = Type.Object(
  {
    type: Type.String({
      description: '`count`, `min`, `max`, `sum`, `avg`, `approximateDistinct`',
    }),
    field: Type.Optional(orNull(FieldName)),
    name: Type.Optional(
      orNull(
        Type.String({
          minLength: 1,
          maxLength: 2 * API_NAME_MAX_LENGTH,
          description: 'The name in the response. Default: `count`, or `TYPE_PROPERTY`.',
        }),
      ),
    ),
  },
  closed,
)

const Bound = Type.Unknown({ description: 'A value of the property.' })

const Range = Type.Object(
  {
    gte: Type.Optional(Bound),
    gt: Type.Optional(Bound),
    lt: Type.Optional(Bound),
    lte: Type.Optional(Bound),
  },
  { ...closed, description: 'One of `gte` or `gt`, and one of `lt` or `lte`.' },
)

const Grouping = Type.Object(
  {
    type: Type.String({ description: '`exact`, `fixedWidth`, `ranges`, `duration`' }),
    field: FieldName,
    maxGroupCount: Type.Optional(
      orNull(
        Type.Integer({
          ...PositiveInteger,
          description: 'For `exact`: the number of groups to keep, largest first.',
        }),
      ),
    ),
    fixedWidth: Type.Optional(
      orNull(
        Type.Integer({
          ...PositiveInteger,
          description: 'For `fixedWidth`: the width of a group.',
        }),
      ),
    ),
    ranges: Type.Optional(
      orNull(Type.Array(Range, { description: 'For `ranges`: the ranges, which may overlap.' })),
    ),
    duration: Type.Optional(
      orNull(
        Type.String({
          maxLength: 100,
          description:
            'For `duration`: an ISO 8601 duration of days, hours, minutes and seconds; whole days for dates.',
        }),
      ),
    ),
  },
  closed,
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
