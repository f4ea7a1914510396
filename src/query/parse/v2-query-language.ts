/** The query types of `where` in v2. */
import { type TSchema, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { closed, namedObject, optional, text } from '../../contract/schema-parts.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import {
  EVERYTHING,
  type GeoRelation,
  type Query,
  type RelativePoint,
  type TextMatch,
} from '../query.ts'
import { isTimeZone } from '../relative-dates.ts'
import { notSupported, requireText } from './conditions.ts'
import type { QueryGrammar, QueryMembers, QueryParsing, QueryTypeParser } from './parse-query.ts'
import { combinators, eachOperator, parseAll } from './shared-query-language.ts'
import { Fuzzy, IsAbsent, refTo, Text, unionType, unionTypes, Value } from './union-type.ts'
import { refuseUnknownMembers, unprocessable } from './unprocessable.ts'
import { FIELD_SCHEMA, readV2Field, V2_FIELDS } from './v2-fields.ts'
import {
  parseBoxQuery,
  parseDistanceQuery,
  parseGeoShapeQuery,
  parsePolygonQuery,
} from './v2-geo.ts'
import { INTERVAL_RULE_COMPONENT, parseInterval } from './v2-interval.ts'

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

const terms = (match: TextMatch, canBeFuzzy: boolean): QueryTypeParser =>
  leaf(
    canBeFuzzy ? 'Terms' : 'Phrase',
    canBeFuzzy ? { value: Text, fuzzy: Fuzzy } : { value: Text },
    (field, { type, value, fuzzy }, { conditions, path }) => {
      if (fuzzy != null && typeof fuzzy !== 'boolean') {
        throw unprocessable(`${path}.fuzzy`, 'is not a boolean')
      }
      const written = { type: String(type), match, field, value, path }
      return conditions.text({ ...written, fuzzy: fuzzy === true })
    },
  )

const Pattern = Type.String({ description: 'The pattern that a whole value must match.' })

const pattern = (type: 'wildcard' | 'regex'): QueryTypeParser =>
  leaf('Pattern', { value: Pattern }, (field, { value }, { conditions, path }) =>
    conditions.pattern({ type, field, value, path }),
  )

const Point = namedObject('GeoJsonPoint', {
  type: Type.Enum(['Point']),
  coordinates: Type.Array(Type.Number(), {
    minItems: 2,
    description: 'Longitude, then latitude.',
  }),
})
const BoundingBox = namedObject('BoundingBox', { topLeft: Point, bottomRight: Point }, closed)
const Polygon = namedObject('GeoJsonPolygon', {
  type: Type.Enum(['Polygon']),
  coordinates: Type.Array(Type.Array(Type.Array(Type.Number()))),
})
const Distance = namedObject(
  'DistanceFrom',
  {
    center: Point,
    distance: Type.Object({ value: Type.Number(), unit: Type.String() }, closed),
  },
  closed,
)

const box = (relation: GeoRelation): QueryTypeParser =>
  leaf('BoundingBox', { value: BoundingBox }, parseBoxQuery(relation))

const polygon = (relation: GeoRelation): QueryTypeParser =>
  leaf('Polygon', { value: Polygon }, parsePolygonQuery(relation))

const RelativePointSchema = optional(
  namedObject(
    'RelativeTime',
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
  types: unionTypes<QueryTypeParser>({
    ...eachOperator((operator) =>
      leaf('Comparison', { value: Value }, (field, { value }, { conditions, path }) =>
        conditions.compare(operator, field, value, path),
      ),
    ),
    in: leaf('In', { value: Type.Array(Value) }, (field, { value }, { conditions, path }) =>
      conditions.in(field, value, path),
    ),
    isNull: leaf('IsNull', { value: IsAbsent }, (field, { value }, { conditions, path }) =>
      conditions.isNull(field, value, path),
    ),
    contains: leaf('Comparison', { value: Value }, (field, { value }, { conditions, path }) =>
      conditions.contains(field, value, path),
    ),
    containsAllTerms: terms('allTerms', true),
    containsAnyTerm: terms('anyTerm', true),
    containsAllTermsInOrder: terms('phrase', false),
    containsAllTermsInOrderPrefixLastTerm: terms('prefix', false),
    // The deprecated name of the previous one.
    startsWith: terms('prefix', false),
    relativeDateRange: leaf(
      'RelativeDateRange',
      {
        relativeStartTime: RelativePointSchema,
        relativeEndTime: RelativePointSchema,
        timeZoneId: Type.String({ description: 'A name such as `Europe/London`.' }),
      },
      parseRelativeDateRange,
    ),
    withinBoundingBox: box('within'),
    intersectsBoundingBox: box('intersects'),
    doesNotIntersectBoundingBox: box('disjoint'),
    withinPolygon: polygon('within'),
    intersectsPolygon: polygon('intersects'),
    doesNotIntersectPolygon: polygon('disjoint'),
    withinDistanceOf: leaf('Distance', { value: Distance }, parseDistanceQuery),
    geoShapeV2: leaf(
      'GeoShape',
      {
        geometry: Type.Object({ type: Type.Enum(['envelope', 'geoJson']) }),
        spatialFilterMode: Type.Enum(['INTERSECTS', 'DISJOINT', 'WITHIN', 'CONTAINS']),
      },
      parseGeoShapeQuery,
    ),
    interval: leaf('Interval', { rule: refTo(INTERVAL_RULE_COMPONENT) }, parseInterval),
    wildcard: pattern('wildcard'),
    regex: pattern('regex'),
    linked: {
      ...unionType('Linked', {
        link: text('API name of a link of the object type.'),
        where: optional(refTo(COMPONENT)),
      }),
      parse: ({ link, where }, { parseLinked, path }) =>
        parseLinked(requireText(link, `${path}.link`), where, '.where'),
    },
    ...combinators(COMPONENT),
    // The official SDK sends an empty one if it has no conditions.
    and: {
      ...unionType('And', { value: Type.Array(refTo(COMPONENT)) }),
      parse: (members, parsing) => parseAll(members, parsing) ?? EVERYTHING,
    },
  }),
}

/** The units of a relative point, with the largest distance: about a thousand years. */
const MAX_DISTANCES: ReadonlyMap<unknown, readonly [RelativePoint['unit'], number]> = new Map([
  ['DAY', ['DAY', 365_000]],
  ['WEEK', ['WEEK', 52_000]],
  ['MONTH', ['MONTH', 12_000]],
  ['YEAR', ['YEAR', 1000]],
])

/** How many conditions a time zone counts as: opening its calendar takes a while. */
const TIME_ZONE_COST = 10

function parseRelativeDateRange(
  written: string,
  { relativeStartTime, relativeEndTime, timeZoneId }: QueryMembers,
  { conditions, budget, path }: QueryParsing,
): Query {
  budget.spendTerms(TIME_ZONE_COST)
  const { field, type, isMultiValued } = conditions.resolve(written, path)
  if ((type !== 'date' && type !== 'timestamp') || isMultiValued) {
    throw notSupported('relativeDateRange', written)
  }
  if (relativeStartTime == null && relativeEndTime == null) {
    throw unprocessable(path, 'has neither relativeStartTime nor relativeEndTime')
  }
  const timeZone = requireText(timeZoneId, `${path}.timeZoneId`)
  if (!isTimeZone(timeZone)) throw new ObjectQueryError('InvalidTimeZone', { timeZone })
  return {
    kind: 'relativeDates',
    field,
    type,
    start: readPoint(relativeStartTime, `${path}.relativeStartTime`),
    end: readPoint(relativeEndTime, `${path}.relativeEndTime`),
    timeZone,
  }
}

function readPoint(point: unknown, path: string): RelativePoint | undefined {
  if (point == null) return undefined
  if (!isJsonObject(point) || point['type'] !== 'relativePoint') {
    throw unprocessable(path, 'is not a relative point: {"type": "relativePoint", …}')
  }
  refuseUnknownMembers(point, ['type', 'value', 'timeUnit'], path, 'a relative point')
  const { value, timeUnit } = point
  const [unit, most] =
    MAX_DISTANCES.get(timeUnit) ?? fail(`${path}.timeUnit`, 'is not DAY, WEEK, MONTH or YEAR')
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || Math.abs(value) > most) {
    throw unprocessable(`${path}.value`, `is not a whole number from -${most} to ${most}`)
  }
  // JSON has no negative zero, and equal queries have equal forms.
  return { value: value + 0, unit }
}

function fail(path: string, reason: string): never {
  throw unprocessable(path, reason)
}
