/**
 * Queries, aggregations and list filters as `openapi.json` describes them: unions, so that generated
 * clients reject an unknown type at compile time. A test compares them with the parsers.
 */
import { type TSchema, Type } from 'typebox'
import { API_NAME_MAX_LENGTH, WIRE_INTEGER_MAX } from '../../contract/limits.ts'
import type { Revision } from '../../contract/revisions.ts'
import { closed, orNull } from '../schemas/common.ts'

/** The keyword of a validated schema that names the component to show in its place. */
export const DOCUMENTED_AS = 'x-documented-as'

/**
 * The keyword of a validated schema with keywords to add to it in the document. The service checks
 * them itself, because its errors have names of their own: a client handles `InvalidPageToken`.
 */
export const DOCUMENTED_WITH = 'x-documented-with'

/** Describes a schema more strictly than the validator checks it. */
export function documentedWith<T extends TSchema>(schema: T, keywords: object): T {
  return { ...schema, [DOCUMENTED_WITH]: keywords }
}

/** The name of the query component of each revision. */
export const QUERY_COMPONENTS: Readonly<Record<Revision, string>> = {
  '1.0': 'Revision1Query',
  '2.0': 'Revision2Query',
  v2: 'V2Query',
}

export const Value = Type.Unsafe<string | number | boolean>({
  type: ['string', 'number', 'boolean'],
  description: 'A value of the property, in the JSON encoding of its type.',
})
const Text = Type.String({ description: 'The text to search for; it is split into terms.' })

export function memberOf(types: readonly [string, ...string[]], members: Record<string, TSchema>) {
  return Type.Object({ type: Type.Enum([...types]), ...members }, closed)
}

function sharedMembers(revision: Revision, field: TSchema) {
  const query = { $ref: `#/components/schemas/${QUERY_COMPONENTS[revision]}` } as TSchema
  return {
    Comparison: memberOf(['eq', 'lt', 'lte', 'gt', 'gte'], { field, value: Value }),
    Combination: memberOf(['and', 'or'], { value: Type.Array(query, { minItems: 1 }) }),
    Negation: memberOf(['not'], { value: query }),
  }
}

const PROPERTY_PATTERN = '^properties\\..'

const Field1 = Type.String({
  pattern: PROPERTY_PATTERN,
  description:
    '`properties.NAME`, or `properties.NAME.FIELD.FIELD` for a field of a struct, at any depth.',
})
const REVISION_1_MEMBERS = {
  ...sharedMembers('1.0', Field1),
  IsNull: memberOf(['isNull'], {
    field: Field1,
    value: Type.Boolean({ description: 'True for objects without a value, false for the others.' }),
  }),
  Contains: memberOf(['contains'], { field: Field1, value: Value }),
  Phrase: memberOf(['phrase', 'prefix'], { field: Field1, value: Text }),
  Terms: memberOf(['anyTerm', 'allTerms'], {
    field: Field1,
    value: Text,
    fuzzy: Type.Optional(
      orNull(Type.Boolean({ description: 'If true, similar terms match as well.' })),
    ),
  }),
}

const Field2 = Type.String({
  minLength: 1,
  description: '`NAME`, or `NAME:FIELD:FIELD` for a field of a struct, at any depth.',
})

const Position = Type.Object(
  {
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
  },
  closed,
)

const REVISION_2_MEMBERS = {
  Empty: memberOf(['empty'], {}),
  ...sharedMembers('2.0', Field2),
  Keyword: memberOf(['keyword'], { query: Text }),
  GeoPointWithin: memberOf(['geoPointWithin'], {
    polygon: Type.Array(Position, {
      minItems: 4,
      description: 'A closed ring: the last position equals the first.',
    }),
  }),
}

export const METRIC_COMPONENT = 'AggregationMetric'
export const GROUPING_COMPONENT = 'AggregationGrouping'

const AggregatedField = Type.String({
  pattern: PROPERTY_PATTERN,
  description: '`properties.NAME`',
})
const MetricName = Type.Optional(
  orNull(
    Type.String({
      minLength: 1,
      maxLength: 2 * API_NAME_MAX_LENGTH,
      description: 'The name in the response. Default: `count`, or `TYPE_PROPERTY`.',
    }),
  ),
)

const METRIC_MEMBERS = {
  Count: memberOf(['count'], { name: MetricName }),
  Property: memberOf(['min', 'max', 'sum', 'avg', 'approximateDistinct'], {
    field: AggregatedField,
    name: MetricName,
  }),
}

const Bound = Type.Optional(Value)

const GROUPING_MEMBERS = {
  Exact: memberOf(['exact'], {
    field: AggregatedField,
    maxGroupCount: Type.Optional(
      orNull(
        Type.Integer({
          minimum: 1,
          maximum: WIRE_INTEGER_MAX,
          description: 'The number of groups to keep, largest first.',
        }),
      ),
    ),
  }),
  FixedWidth: memberOf(['fixedWidth'], {
    field: AggregatedField,
    fixedWidth: Type.Integer({
      minimum: 1,
      maximum: WIRE_INTEGER_MAX,
      description: 'The width of a group.',
    }),
  }),
  Ranges: memberOf(['ranges'], {
    field: AggregatedField,
    ranges: Type.Array(Type.Object({ gte: Bound, gt: Bound, lt: Bound, lte: Bound }, closed), {
      description: 'Each with one of `gte` or `gt`, and one of `lt` or `lte`. They may overlap.',
    }),
  }),
  Duration: memberOf(['duration'], {
    field: AggregatedField,
    duration: Type.String({
      description:
        'An ISO 8601 duration of days, hours, minutes and seconds; whole days for dates.',
    }),
  }),
}

/** The components that `openapi.json` refers to. */
export const QUERY_SCHEMAS: Readonly<Record<string, object>> = {
  ...unionOf(QUERY_COMPONENTS['1.0'], REVISION_1_MEMBERS, 'A query of revision 1.0.'),
  ...unionOf(QUERY_COMPONENTS['2.0'], REVISION_2_MEMBERS, 'A query of revision 2.0.'),
  ...unionOf(METRIC_COMPONENT, METRIC_MEMBERS, 'A metric of an aggregation.'),
  ...unionOf(GROUPING_COMPONENT, GROUPING_MEMBERS, 'A grouping of an aggregation.'),
}

/** Returns a union discriminated by `type`, and each of its members as a component. */
export function unionOf(
  name: string,
  members: Readonly<Record<string, ReturnType<typeof memberOf>>>,
  description: string,
): Record<string, object> {
  const components = Object.entries(members).map(([member, schema]) => ({
    component: `${name}${member}`,
    $ref: `#/components/schemas/${name}${member}`,
    schema,
  }))
  const mapping = components.flatMap(({ schema, $ref }) =>
    schema.properties.type.enum.map((type: string) => [type, $ref]),
  )
  return {
    [name]: {
      description,
      oneOf: components.map(({ $ref }) => ({ $ref })),
      discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) },
    },
    ...Object.fromEntries(components.map(({ component, schema }) => [component, schema])),
  }
}

/** The filters of a listing: free query parameters, whose last part is the operator. */
export const FILTER_PARAMETER = {
  name: 'filters',
  in: 'query',
  required: false,
  style: 'form',
  explode: true,
  description:
    'Filters, each a query parameter of its own: `properties.NAME.OPERATOR=VALUE`, or `p.NAME.OPERATOR=VALUE` for short. All filters must hold. Operators: `eq`, `neq`, `contains` (arrays), `lt`, `lte`, `gt`, `gte` and `isNull` (`true` or `false`). Several values of `eq` or `contains` match any of them, several values of `neq` none of them.',
  schema: {
    type: 'object',
    propertyNames: {
      pattern: '^(properties|p)\\..+\\.(eq|neq|contains|isNull|lt|lte|gt|gte)$',
    },
    additionalProperties: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    },
  },
} as const
