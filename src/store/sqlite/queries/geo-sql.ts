/** Conditions on geopoints and geoshapes. Both are tested in JavaScript, on the JSON of the property. */
import type { Box } from '../../../query/matching/shape.ts'
import type { Field, Query } from '../../../query/query.ts'
import { columnOf, type FieldNumbers } from '../../sql/field-numbers.ts'
import { areaBoxes } from '../../sql/geo-boxes.ts'
import { combine, type SqlCondition } from '../../sql/sql-condition.ts'
import type { MatcherQuery } from './matchers.ts'

/** What the SQL of a geo condition needs; a part of `QueryTables`. */
export interface GeoTables {
  readonly numbers: FieldNumbers
  readonly matcherNumber: (query: MatcherQuery) => number
  readonly isGeoPoint: (field: Field) => boolean
}

export function geoSql(
  query: Query & { kind: 'geo' },
  { numbers, matcherNumber, isGeoPoint }: GeoTables,
): SqlCondition {
  const { property } = query.field
  const test: SqlCondition = {
    sql: 'matches(o.body -> ?, ?)',
    values: [`$."${property}"`, matcherNumber(query)],
  }
  if (isGeoPoint(query.field) && query.relation !== 'disjoint') {
    return combine('and', [combine('or', areaBoxes(query.area).map(placeSql)), test])
  }
  const number = numbers.of({ property, structField: undefined })
  return combine('and', [{ sql: `o.${columnOf(number)} IS NOT NULL`, values: [] }, test])
}

/** Finds the rows with a position in a box. The R-tree rounds outwards, and has all fields. */
function placeSql([west, south, east, north]: Box): SqlCondition {
  return {
    sql: `o.id IN (
      SELECT row FROM place
      WHERE max_longitude >= ? AND min_longitude <= ? AND max_latitude >= ? AND min_latitude <= ?
    )`,
    values: [west, east, south, north],
  }
}
