/** The query types of `where` in v2. */

import type { GeoRelation, Query, TextMatch } from '../query.ts'
import type { QueryGrammar, QueryMembers, QueryParsing, QueryTypeParser } from './parse-query.ts'
import { COMBINATORS } from './shared-query-types.ts'
import { unprocessable } from './unprocessable.ts'
import { FIELD_MEMBERS, readV2Field, V2_FIELDS } from './v2-fields.ts'
import {
  parseBoxQuery,
  parseDistanceQuery,
  parseGeoShapeQuery,
  parsePolygonQuery,
} from './v2-geo.ts'
import { parseInterval } from './v2-interval.ts'
import { parseRelativeDateRange } from './v2-relative-dates.ts'

/** A condition on one property, which is named by `field` or `propertyIdentifier`. */
function leaf(
  members: readonly string[],
  parse: (field: string, members: QueryMembers, parsing: QueryParsing) => Query,
): QueryTypeParser {
  return {
    members: [...FIELD_MEMBERS, ...members],
    parse: (query, parsing) =>
      parse(readV2Field(query, parsing.objectType, parsing.path), query, parsing),
  }
}

const text = (type: string, match: TextMatch, canBeFuzzy: boolean): [string, QueryTypeParser] => [
  type,
  leaf(
    canBeFuzzy ? ['value', 'fuzzy'] : ['value'],
    (field, { value, fuzzy }, { conditions, path }) => {
      if (fuzzy != null && typeof fuzzy !== 'boolean') {
        throw unprocessable(`${path}.fuzzy`, 'is not a boolean')
      }
      return conditions.text({ type, match, field, value, fuzzy: fuzzy === true, path })
    },
  ),
]

const pattern = (type: 'wildcard' | 'regex'): [string, QueryTypeParser] => [
  type,
  leaf(['value'], (field, { value }, { conditions, path }) =>
    conditions.pattern({ type, field, value, path }),
  ),
]

const box = (type: string, relation: GeoRelation): [string, QueryTypeParser] => [
  type,
  leaf(['value'], parseBoxQuery(type, relation)),
]

const polygon = (type: string, relation: GeoRelation): [string, QueryTypeParser] => [
  type,
  leaf(['value'], parsePolygonQuery(type, relation)),
]

export const V2_QUERIES: QueryGrammar = {
  syntax: V2_FIELDS,
  member: 'where',
  types: new Map<string, QueryTypeParser>([
    ...(['eq', 'lt', 'lte', 'gt', 'gte'] as const).map((operator): [string, QueryTypeParser] => [
      operator,
      leaf(['value'], (field, { value }, { conditions, path }) =>
        conditions.compare(operator, field, value, path),
      ),
    ]),
    [
      'in',
      leaf(['value'], (field, { value }, { conditions, path }) =>
        conditions.in(field, value, path),
      ),
    ],
    [
      'isNull',
      leaf(['value'], (field, { value }, { conditions, path }) =>
        conditions.isNull(field, value, path),
      ),
    ],
    [
      'contains',
      leaf(['value'], (field, { value }, { conditions, path }) =>
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
      leaf(['relativeStartTime', 'relativeEndTime', 'timeZoneId'], parseRelativeDateRange),
    ],
    box('withinBoundingBox', 'within'),
    box('intersectsBoundingBox', 'intersects'),
    box('doesNotIntersectBoundingBox', 'disjoint'),
    polygon('withinPolygon', 'within'),
    polygon('intersectsPolygon', 'intersects'),
    polygon('doesNotIntersectPolygon', 'disjoint'),
    ['withinDistanceOf', leaf(['value'], parseDistanceQuery)],
    ['geoShapeV2', leaf(['geometry', 'spatialFilterMode'], parseGeoShapeQuery)],
    ['interval', leaf(['rule'], parseInterval)],
    pattern('wildcard'),
    pattern('regex'),
    ...COMBINATORS,
  ]),
}
