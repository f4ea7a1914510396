import { Type } from 'typebox'
import {
  AGGREGATE_MAX_GROUPINGS,
  AGGREGATE_MAX_METRICS,
  API_NAME_MAX_LENGTH,
  PAGE_SIZE_WIRE_MAX,
} from '../../contract/limits.ts'
import { closed, orNull, QueryBody } from '../openapi/schemas.ts'

/** What an aggregation takes and gives. Which members go together is checked by its parser. */

/** Long enough for a struct field, though there is nothing to aggregate in one. */
const FieldName = Type.String({
  maxLength: 3 * API_NAME_MAX_LENGTH,
  description: '`properties.NAME`',
})

/** Counts and widths are 32-bit integers on the wire. */
const PositiveInteger = { minimum: 1, maximum: PAGE_SIZE_WIRE_MAX }

/** Unknown members are left to the parser, which names the members that each type takes. */
const checkedByParser = { additionalProperties: true }

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
          description: 'How the answer calls it: by itself `count`, or `TYPE_NAME`.',
        }),
      ),
    ),
  },
  checkedByParser,
)

const Bound = Type.Unknown({ description: 'A value of the property.' })

const Range = Type.Object(
  {
    gte: Type.Optional(Bound),
    gt: Type.Optional(Bound),
    lt: Type.Optional(Bound),
    lte: Type.Optional(Bound),
  },
  { ...closed, description: 'One of `gte` and `gt`, and one of `lt` and `lte`.' },
)

const Grouping = Type.Object(
  {
    type: Type.String({ description: '`exact`, `fixedWidth`, `ranges`, `duration`' }),
    field: FieldName,
    maxGroupCount: Type.Optional(
      orNull(Type.Integer({ ...PositiveInteger, description: 'Of `exact`: keeps the largest.' })),
    ),
    fixedWidth: Type.Optional(
      orNull(Type.Integer({ ...PositiveInteger, description: 'Of `fixedWidth`.' })),
    ),
    ranges: Type.Optional(orNull(Type.Array(Range, { description: 'Of `ranges`.' }))),
    duration: Type.Optional(
      orNull(
        Type.String({
          maxLength: 100,
          description:
            'Of `duration`, ISO 8601: days, hours, minutes and seconds; whole days for dates.',
        }),
      ),
    ),
  },
  checkedByParser,
)

export const AggregateBody = Type.Object(
  {
    aggregation: Type.Array(Metric, { minItems: 1, maxItems: AGGREGATE_MAX_METRICS }),
    query: Type.Optional(orNull(QueryBody)),
    groupBy: Type.Optional(
      orNull(
        Type.Array(Grouping, {
          maxItems: AGGREGATE_MAX_GROUPINGS,
          description: 'Outermost first, each on another property.',
        }),
      ),
    ),
  },
  {
    ...closed,
    examples: [
      {
        aggregation: [{ type: 'count' }, { type: 'max', field: 'properties.elevation' }],
        query: { type: 'isNull', field: 'properties.opened', value: false },
        groupBy: [{ type: 'exact', field: 'properties.countryCode', maxGroupCount: 10 }],
      },
    ],
  },
)

export const AggregateResponse = Type.Object(
  {
    excludedItems: Type.Optional(
      Type.Integer({ description: 'Objects in groups that `maxGroupCount` dropped.' }),
    ),
    data: Type.Array(
      Type.Object({
        group: Type.Object(
          {},
          {
            additionalProperties: true,
            description:
              'By property: the value, the start, or the range; empty without `groupBy`.',
          },
        ),
        metrics: Type.Array(
          Type.Object({
            name: Type.String(),
            value: Type.Optional(
              Type.Unsafe<number | string>({
                type: ['number', 'string'],
                description: 'A double; absent where there is nothing to compute it from.',
              }),
            ),
          }),
        ),
      }),
      { description: 'The groups; exactly one without `groupBy`.' },
    ),
  },
  {
    examples: [
      {
        excludedItems: 0,
        data: [
          {
            group: { countryCode: 'CH' },
            metrics: [
              { name: 'count', value: 2 },
              { name: 'max_elevation', value: 432 },
            ],
          },
        ],
      },
    ],
  },
)
