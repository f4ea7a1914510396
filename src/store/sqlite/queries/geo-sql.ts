/** Conditions on geopoints and geoshapes. Both are tested in JavaScript, on the JSON of the property. */
import type { Box } from '../../../query/matching/shape.ts'
import type { Query } from '../../../query/query.ts'
import { areaBoxes, isGeoPoint, jsonPath } from '../../sql/compile/query-fields.ts'
import { combine, type SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { QueryTables } from './query-tables.ts'

export function geoSql(
  query: Query & { kind: 'geo' },
  { numbers, objectType, matcherNumber }: QueryTables,
): SqlCondition {
  const { property } = query.field
  const test: SqlCondition = {
    sql: 'matches(o.body -> ?, ?)',
    values: [jsonPath({ property }), matcherNumber(query)],
  }
  if (isGeoPoint(objectType, query.field) && query.relation !== 'disjoint') {
    return combine('and', [combine('or', areaBoxes(query.area).map(positionSql)), test])
  }
  const { indexed } = numbers.propertySql(property)
  return combine('and', [{ sql: `${indexed} IS NOT NULL`, values: [] }, test])
}

/** Finds the rows with a position in a box. The R-tree rounds outwards, and has all fields. */
function positionSql([west, south, east, north]: Box): SqlCondition {
  return {
    sql: `o.id IN (
      SELECT row FROM oqs_place
      WHERE max_longitude >= ? AND min_longitude <= ? AND max_latitude >= ? AND min_latitude <= ?
    )`,
    values: [west, east, south, north],
  }
}
