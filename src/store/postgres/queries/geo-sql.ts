/** Conditions on geopoints and geoshapes. Both are tested on the JSON of the property. */

import { toCircle } from '../../../query/matching/distance.ts'
import { type Box, boxOf, toShape } from '../../../query/matching/shape.ts'
import type { Field, GeoArea, GeoMember, Query } from '../../../query/query.ts'
import { columnOf } from '../../sql/compile/field-numbers.ts'
import { jsonPath } from '../../sql/compile/json-path.ts'
import { areaBoxes, isGeoPoint } from '../../sql/compile/query-fields.ts'
import { combine, negate, type SqlCondition, TRUE } from '../../sql/compile/sql-condition.ts'
import type { QueryTables } from './queried-types.ts'

export function geoSql(
  { field, relation, area }: Query & { kind: 'geo' },
  { numbers, objectType }: QueryTables,
): SqlCondition {
  const number = numbers.of({ property: field.property, structField: undefined })
  const isPresent = { sql: `o.${columnOf(number)} IS NOT NULL`, values: [] }
  if (relation === 'disjoint') {
    const test = valueTest('intersects', area)
    return combine('and', [isPresent, someValue(field, TRUE), negate(someValue(field, test))])
  }
  const candidates = isGeoPoint(objectType, field)
    ? combine('or', areaBoxes(area).map(areaSql))
    : isPresent
  return combine('and', [candidates, someValue(field, valueTest(relation, area))])
}

/** Finds the rows whose positions, of all fields, have a box that meets another one. */
function areaSql([west, south, east, north]: Box): SqlCondition {
  return { sql: 'o.area && ?::box', values: [`(${east},${north}),(${west},${south})`] }
}

/** True if one value of a field satisfies a test. A path also finds the elements of arrays. */
function someValue(field: Field, test: SqlCondition): SqlCondition {
  const path = `${jsonPath(field)}[*]`
  return {
    sql: `EXISTS (
      SELECT 1 FROM jsonb_path_query(o.body::jsonb, ?::jsonpath) AS found (value)
      WHERE jsonb_typeof(value) = 'object' AND ${test.sql}
    )`,
    values: [path, ...test.values],
  }
}

function valueTest(relation: 'intersects' | 'within' | 'contains', area: GeoArea): SqlCondition {
  if (area.kind === 'circle') {
    const { longitude, latitude, cosine, haversine } = toCircle(area.center, area.metres)
    return {
      sql: `oqs_is_near(value, ${Array(4).fill('?::double precision').join(', ')})`,
      values: [longitude, latitude, cosine, haversine],
    }
  }
  if (relation !== 'contains') return relates(relation, area.members)
  return combine(
    'and',
    area.members.map((point) => relates('intersects', [point])),
  )
}

function relates(relation: 'intersects' | 'within', members: readonly GeoMember[]): SqlCondition {
  const positions: number[] = []
  const paths: number[] = []
  for (const [index, { isPolygon, paths: own }] of members.entries()) {
    for (const path of own) {
      const first = positions.length / 2 + 1
      positions.push(...path.flat())
      paths.push(isPolygon ? -index - 1 : index + 1, first, positions.length / 2)
    }
  }
  const test = {
    sql: `oqs_relates(value, '${relation}', ?::double precision[], ?::integer[])`,
    values: [`{${positions}}`, `{${paths}}`],
  }
  return combine('and', [meetsBox(boxOf(toShape(members))), test])
}

/** Matches positions of a geometry by one coordinate. Strict: a lax filter would open the arrays. */
const coordinates = (axis: 0 | 1, comparison: string) =>
  `strict $.** ? (@.type() == "array" && @[0].type() == "number" && @[${axis}] ${comparison})`

const BOX_PATHS = [
  coordinates(0, '<= $east'),
  coordinates(0, '>= $west'),
  coordinates(1, '<= $north'),
  coordinates(1, '>= $south'),
]

/** True if the boxes of a geometry and of an area meet, which is much quicker to test. */
function meetsBox([west, south, east, north]: Box): SqlCondition {
  const box = JSON.stringify({ west, south, east, north })
  return {
    // In this order: the database tests the first conditions first.
    sql: `CASE WHEN ${BOX_PATHS.map(() => 'jsonb_path_exists(value, ?::jsonpath, ?::jsonb)').join(' AND ')} THEN TRUE ELSE FALSE END`,
    values: BOX_PATHS.flatMap((path) => [path, box]),
  }
}
