/** The query types of `where` in v2. */
import { type TSchema, Type } from 'typebox'
import { closed, optional } from '../../contract/schema-parts.ts'
import type { GeoRelation, Query, TextMatch } from '../query.ts'
import type { QueryGrammar, QueryMembers, QueryParsing, QueryTypeParser } from './parse-query.ts'
import { combinators, OPERATORS } from './shared-query-types.ts'
import { Fuzzy, IsAbsent, refTo, Text, unionType, Value } from './union-type.ts'
import { unprocessable } from './unprocessable.ts'
import { FIELD_SCHEMA, readV2Field, V2_FIELDS } from './v2-fields.ts'
import {
  parseBoxQuery,
  parseDistanceQuery,
  parseGeoShapeQuery,
  parsePolygonQuery,
} from './v2-geo.ts'
import { INTERVAL_RULE_COMPONENT, parseInterval } from './v2-interval.ts'
import { parseRelativeDateRange } from './v2-relative-dates.ts'

type LeafParser = (field: string, members: QueryMembers, parsing: QueryParsing) => Query

/** A condition on one property, which is named by `field` or `propertyIdentifier`. */
function leaf(
  component: string,
  schema: Readonly<Record<string, TSchema>>,
  parse: LeafParser,
): QueryTypeParser {
  return {
    ...unionType(component, { ...FIELD_SCHEMA, ...schema }),
    parse: (query, parsing) =>
      parse(readV2Field(query, parsing.objectType, parsing.path), query, parsing),
  }
}

const text = (type: string, match: TextMatch, canBeFuzzy: boolean): [string, QueryTypeParser] => [
  type,
  leaf(
    canBeFuzzy ? 'Terms' : 'Phrase',
    canBeFuzzy ? { value: Text, fuzzy: Fuzzy } : { value: Text },
    (field, { value, fuzzy }, { conditions, path }) => {
      if (fuzzy != null && typeof fuzzy !== 'boolean') {
        throw unprocessable(`${path}.fuzzy`, 'is not a boolean')
      }
      return conditions.text({ type, match, field, value, fuzzy: fuzzy === true, path })
    },
  ),
]

const Pattern = Type.String({ description: 'The pattern that a whole value must match.' })

const pattern = (type: 'wildcard' | 'regex'): [string, QueryTypeParser] => [
  type,
  leaf('Pattern', { value: Pattern }, (field, { value }, { conditions, path }) =>
    conditions.pattern({ type, field, value, path }),
  ),
]

const Point = Type.Object({
  type: Type.Enum(['Point']),
  coordinates: Type.Array(Type.Number(), {
    minItems: 2,
    description: 'Longitude, then latitude.',
  }),
})
const BoundingBox = Type.Object({ topLeft: Point, bottomRight: Point }, closed)
const Polygon = Type.Object({
  type: Type.Enum(['Polygon']),
  coordinates: Type.Array(Type.Array(Type.Array(Type.Number()))),
})
const Distance = Type.Object(
  {
    center: Point,
    distance: Type.Object({ value: Type.Number(), unit: Type.String() }, closed),
  },
  closed,
)

const box = (type: string, relation: GeoRelation): [string, QueryTypeParser] => [
  type,
  leaf('BoundingBox', { value: BoundingBox }, parseBoxQuery(type, relation)),
]

const polygon = (type: string, relation: GeoRelation): [string, QueryTypeParser] => [
  type,
  leaf('Polygon', { value: Polygon }, parsePolygonQuery(type, relation)),
]

const RelativePoint = optional(
  Type.Object(
    {
      type: Type.Enum(['relativePoint']),
      value: Type.Integer(),
      timeUnit: Type.Enum(['DAY', 'WEEK', 'MONTH', 'YEAR']),
    },
    closed,
  ),
)

const COMPONENT = 'V2Query'

export const V2_QUERIES: QueryGrammar = {
  syntax: V2_FIELDS,
  member: 'where',
  component: COMPONENT,
  types: new Map<string, QueryTypeParser>([
    ...OPERATORS.map((operator): [string, QueryTypeParser] => [
      operator,
      leaf('Comparison', { value: Value }, (field, { value }, { conditions, path }) =>
        conditions.compare(operator, field, value, path),
      ),
    ]),
    [
      'in',
      leaf('In', { value: Type.Array(Value) }, (field, { value }, { conditions, path }) =>
        conditions.in(field, value, path),
      ),
    ],
    [
      'isNull',
      leaf('IsNull', { value: IsAbsent }, (field, { value }, { conditions, path }) =>
        conditions.isNull(field, value, path),
      ),
    ],
    [
      'contains',
      leaf('Comparison', { value: Value }, (field, { value }, { conditions, path }) =>
        conditions.contains(field, value, path),
      ),
    ],
    text('containsAllTerms', 'allTerms', true),
    text('containsAnyTerm', 'anyTerm', true),
    text('containsAllTermsInOrder', 'phrase', false),
    text('containsAllTermsInOrderPrefixLastTerm', 'prefix', false),
    // The deprecated name of the previous one.
    text('startsWith', 'prefix', false),
    [
      'relativeDateRange',
      leaf(
        'RelativeDateRange',
        {
          relativeStartTime: RelativePoint,
          relativeEndTime: RelativePoint,
          timeZoneId: Type.String({ description: 'A name such as `Europe/London`.' }),
        },
        parseRelativeDateRange,
      ),
    ],
    box('withinBoundingBox', 'within'),
    box('intersectsBoundingBox', 'intersects'),
    box('doesNotIntersectBoundingBox', 'disjoint'),
    polygon('withinPolygon', 'within'),
    polygon('intersectsPolygon', 'intersects'),
    polygon('doesNotIntersectPolygon', 'disjoint'),
    ['withinDistanceOf', leaf('Distance', { value: Distance }, parseDistanceQuery)],
    [
      'geoShapeV2',
      leaf(
        'GeoShape',
        {
          geometry: Type.Object({ type: Type.Enum(['envelope', 'geoJson']) }),
          spatialFilterMode: Type.Enum(['INTERSECTS', 'DISJOINT', 'WITHIN', 'CONTAINS']),
        },
        parseGeoShapeQuery,
      ),
    ],
    ['interval', leaf('Interval', { rule: refTo(INTERVAL_RULE_COMPONENT) }, parseInterval)],
    pattern('wildcard'),
    pattern('regex'),
    ...combinators(COMPONENT),
  ]),
}
