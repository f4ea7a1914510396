/** Tests the values of a geopoint or geoshape property against an area. */

import { valuesAt } from '../../ontology/values/values-at.ts'
import type { GeoArea, GeoRelation, Query } from '../query.ts'
import { isNear, toCircle } from './distance.ts'
import { type Geometry, intersects, isWithin, membersOf, type Shape, toShape } from './shape.ts'

/** Returns a test of a property, which may be undefined. */
export function geoTest({
  field,
  relation,
  area,
}: Query & { kind: 'geo' }): (property: unknown) => boolean {
  const isMatch = relationTest(relation, area)
  return (property) => {
    if (property === undefined) return false
    const geometries = valuesAt(property, field.structField) as Geometry[]
    return relation === 'disjoint'
      ? geometries.length > 0 && !geometries.some(isMatch)
      : geometries.some(isMatch)
  }
}

/** Returns the test of one value; for `disjoint`, whether it intersects. */
export function relationTest(
  relation: GeoRelation,
  area: GeoArea,
): (geometry: Geometry) => boolean {
  if (area.kind === 'circle') {
    const circle = toCircle(area.center, area.metres)
    return ({ coordinates }) => {
      const [longitude = 0, latitude = 0] = coordinates as readonly number[]
      return isNear(longitude, latitude, circle)
    }
  }
  const shape = toShape(area.members)
  const ownShape = (geometry: Geometry): Shape => toShape(membersOf(geometry))
  switch (relation) {
    case 'within':
      return (geometry) => isWithin(ownShape(geometry), shape)
    case 'contains':
      return (geometry) => {
        const own = ownShape(geometry)
        return shape.every((point) => intersects(own, [point]))
      }
    default:
      return (geometry) => intersects(ownShape(geometry), shape)
  }
}
