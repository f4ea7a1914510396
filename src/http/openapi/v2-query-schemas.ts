/** The query of `where` in v2 as `openapi.json` describes it. */
import { type TSchema, Type } from 'typebox'
import { closed, orNull } from '../schemas/common.ts'
import { memberOf, QUERY_COMPONENTS, unionOf, Value } from './query-schemas.ts'

export const PROPERTY_IDENTIFIER_COMPONENT = 'PropertyIdentifier'

/** Returns a reference to a component. */
export function refTo(component: string): TSchema {
  return { $ref: `#/components/schemas/${component}` } as TSchema
}

const identifier = refTo(PROPERTY_IDENTIFIER_COMPONENT)
const query = refTo(QUERY_COMPONENTS.v2)

/** A condition names its property by exactly one of these. */
const property = {
  field: Type.Optional(
    orNull(Type.String({ minLength: 1, description: 'API name of the property.' })),
  ),
  propertyIdentifier: Type.Optional(identifier),
}

const Text = Type.String({ description: 'The text to search for; it is split into terms.' })
const Fuzzy = Type.Optional(
  orNull(Type.Boolean({ description: 'If true, similar terms match as well.' })),
)

const Point = Type.Object({
  type: Type.Enum(['Point']),
  coordinates: Type.Array(Type.Number(), {
    minItems: 2,
    description: 'Longitude, then latitude.',
  }),
})
const BoundingBox = { topLeft: Point, bottomRight: Point }
const Polygon = Type.Object({
  type: Type.Enum(['Polygon']),
  coordinates: Type.Array(Type.Array(Type.Array(Type.Number()))),
})

const INTERVAL_RULE_COMPONENT = 'IntervalRule'
const rules = Type.Array(refTo(INTERVAL_RULE_COMPONENT))
const maxGaps = Type.Optional(
  orNull(Type.Integer({ minimum: 0, description: 'How many other terms may be between.' })),
)

const INTERVAL_RULE_MEMBERS = {
  AllOf: memberOf(['allOf'], { rules, maxGaps, ordered: Type.Optional(Type.Boolean()) }),
  AnyOf: memberOf(['anyOf'], { rules }),
  Match: memberOf(['match'], { query: Text, maxGaps, ordered: Type.Optional(Type.Boolean()) }),
  Prefix: memberOf(['prefixOnLastToken'], { query: Text }),
  Fuzzy: memberOf(['fuzzy'], {
    term: Type.String(),
    fuzziness: Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: 2 }))),
  }),
}

const RelativePoint = Type.Optional(
  orNull(
    Type.Object(
      {
        type: Type.Enum(['relativePoint']),
        value: Type.Integer(),
        timeUnit: Type.Enum(['DAY', 'WEEK', 'MONTH', 'YEAR']),
      },
      closed,
    ),
  ),
)

const QUERY_MEMBERS = {
  Comparison: memberOf(['eq', 'lt', 'lte', 'gt', 'gte', 'contains'], { ...property, value: Value }),
  In: memberOf(['in'], { ...property, value: Type.Array(Value) }),
  IsNull: memberOf(['isNull'], {
    ...property,
    value: Type.Boolean({ description: 'True for objects without a value, false for the others.' }),
  }),
  Terms: memberOf(['containsAllTerms', 'containsAnyTerm'], {
    ...property,
    value: Text,
    fuzzy: Fuzzy,
  }),
  Phrase: memberOf(
    ['containsAllTermsInOrder', 'containsAllTermsInOrderPrefixLastTerm', 'startsWith'],
    { ...property, value: Text },
  ),
  Pattern: memberOf(['wildcard', 'regex'], {
    ...property,
    value: Type.String({ description: 'The pattern that a whole value must match.' }),
  }),
  Interval: memberOf(['interval'], { ...property, rule: refTo(INTERVAL_RULE_COMPONENT) }),
  RelativeDateRange: memberOf(['relativeDateRange'], {
    ...property,
    relativeStartTime: RelativePoint,
    relativeEndTime: RelativePoint,
    timeZoneId: Type.String({ description: 'A name such as `Europe/London`.' }),
  }),
  BoundingBox: memberOf(
    ['withinBoundingBox', 'intersectsBoundingBox', 'doesNotIntersectBoundingBox'],
    { ...property, value: Type.Object(BoundingBox, closed) },
  ),
  Polygon: memberOf(['withinPolygon', 'intersectsPolygon', 'doesNotIntersectPolygon'], {
    ...property,
    value: Polygon,
  }),
  Distance: memberOf(['withinDistanceOf'], {
    ...property,
    value: Type.Object(
      {
        center: Point,
        distance: Type.Object({ value: Type.Number(), unit: Type.String() }, closed),
      },
      closed,
    ),
  }),
  GeoShape: memberOf(['geoShapeV2'], {
    ...property,
    geometry: Type.Object({ type: Type.Enum(['envelope', 'geoJson']) }),
    spatialFilterMode: Type.Enum(['INTERSECTS', 'DISJOINT', 'WITHIN', 'CONTAINS']),
  }),
  Combination: memberOf(['and', 'or'], { value: Type.Array(query, { minItems: 1 }) }),
  Negation: memberOf(['not'], { value: query }),
}

/** The components of queries of v2. */
export const V2_QUERY_SCHEMAS: Readonly<Record<string, object>> = {
  ...unionOf(QUERY_COMPONENTS.v2, QUERY_MEMBERS, 'A query of v2.'),
  ...unionOf(INTERVAL_RULE_COMPONENT, INTERVAL_RULE_MEMBERS, 'How terms must occur in a text.'),
}
