/** Aggregations of v2 as `openapi.json` describes them. A test compares them with the parsers. */
import { Type } from 'typebox'
import { API_NAME_MAX_LENGTH, WIRE_INTEGER_MAX } from '../../contract/limits.ts'
import { GEO_GRID_MAX_SIDE } from '../../query/aggregation/geo-grid.ts'
import { TIME_UNITS } from '../../query/aggregation/time-step.ts'
import { closed, orNull } from '../schemas/common.ts'
import { memberOf, unionOf } from './query-schemas.ts'
import { PROPERTY_IDENTIFIER_COMPONENT, refTo } from './v2-query-schemas.ts'

export const V2_METRIC_COMPONENT = 'V2AggregationMetric'
export const V2_GROUPING_COMPONENT = 'V2AggregationGrouping'

const property = {
  field: Type.Optional(
    orNull(
      Type.String({
        minLength: 1,
        description: 'API name of the property. Excludes `propertyIdentifier`.',
      }),
    ),
  ),
  propertyIdentifier: Type.Optional(refTo(PROPERTY_IDENTIFIER_COMPONENT)),
}

const named = {
  name: Type.Optional(
    orNull(
      Type.String({
        minLength: 1,
        maxLength: 2 * API_NAME_MAX_LENGTH,
        description: 'The name in the response. Default: `count`, or `TYPE_PROPERTY`.',
      }),
    ),
  ),
  direction: Type.Optional(
    Type.Unsafe<'ASC' | 'DESC' | null>({
      enum: ['ASC', 'DESC', null],
      description:
        'Orders the groups by this metric; only with exactly one grouping. Of several such metrics, the first takes precedence.',
    }),
  ),
}

const METRICS = {
  Count: memberOf(['count'], named),
  Property: memberOf(['min', 'max', 'sum', 'avg', 'approximateDistinct', 'exactDistinct'], {
    ...property,
    ...named,
  }),
  Percentile: memberOf(['approximatePercentile'], {
    ...property,
    ...named,
    approximatePercentile: Type.Number({ minimum: 0, maximum: 100 }),
  }),
}

const Bound = Type.Optional(
  Type.Unsafe<string | number>({
    type: ['string', 'number'],
    description: 'A value of the property, in the JSON encoding of its type.',
  }),
)

const Longitude = Type.Number({ minimum: -180, maximum: 180 })
const Latitude = Type.Number({ minimum: -90, maximum: 90 })

const GROUPINGS = {
  Exact: memberOf(['exact'], {
    ...property,
    maxGroupCount: Type.Optional(
      orNull(
        Type.Integer({
          minimum: 1,
          maximum: WIRE_INTEGER_MAX,
          description:
            'The number of groups to keep: the first in the order of metrics, otherwise the largest.',
        }),
      ),
    ),
    defaultValue: Type.Optional(
      orNull(Type.String({ description: 'The value of objects that have none.' })),
    ),
    includeNullValues: Type.Optional(
      orNull(
        Type.Boolean({ description: 'If true, objects without a value form the group null.' }),
      ),
    ),
  }),
  FixedWidth: memberOf(['fixedWidth'], {
    ...property,
    fixedWidth: Type.Integer({
      minimum: 1,
      maximum: WIRE_INTEGER_MAX,
      description: 'The width of a group.',
    }),
  }),
  Ranges: memberOf(['ranges'], {
    ...property,
    ranges: Type.Array(Type.Object({ startValue: Bound, endValue: Bound }, closed), {
      description:
        'Each from `startValue` up to, but not including, `endValue`; one of them may be absent. They may overlap.',
    }),
  }),
  Duration: memberOf(['duration'], {
    ...property,
    value: Type.Integer({
      minimum: 1,
      maximum: WIRE_INTEGER_MAX,
      description: 'The number of units; 1 from `WEEKS` on.',
    }),
    unit: Type.Enum([...TIME_UNITS], { description: 'At least `DAYS` for dates.' }),
  }),
  GeoGrid: memberOf(['geoGrid'], {
    ...property,
    box: Type.Object(
      {
        west: Longitude,
        south: Latitude,
        east: Longitude,
        north: Latitude,
      },
      {
        ...closed,
        description:
          'The edges, in degrees. If `west` is greater than `east`, the box crosses the antimeridian.',
      },
    ),
    columns: Type.Integer({ minimum: 1, maximum: GEO_GRID_MAX_SIDE }),
    rows: Type.Integer({ minimum: 1, maximum: GEO_GRID_MAX_SIDE }),
  }),
}

/** The components that `openapi.json` refers to. */
export const V2_AGGREGATION_SCHEMAS: Readonly<Record<string, object>> = {
  ...unionOf(V2_METRIC_COMPONENT, METRICS, 'A metric of an aggregation in v2.'),
  ...unionOf(V2_GROUPING_COMPONENT, GROUPINGS, 'A grouping of an aggregation in v2.'),
}
