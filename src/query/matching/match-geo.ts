/** Tests the values of a geopoint or geoshape property against an area. */

import { valuesAt } from '../../ontology/values/values-at.ts'
import type { GeoArea, GeoRelation, Query } from '../query.ts'
import { isNear, toCircle } from './distance.ts'
import {
  type Box,
  boxOf,
  type Geometry,
  intersects,
  isWithin,
  membersOf,
  type Shape,
  toShape,
} from './shape.ts'

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
  const box = boxOf(shape)
  const isMatch = shapeTest(relation, shape)
  // Most points are far away, which shows without making shapes of them.
  return (geometry) =>
    !(shape.length > 0 && isPointOutside(geometry, box)) && isMatch(toShape(membersOf(geometry)))
}

function shapeTest(relation: GeoRelation, area: Shape): (shape: Shape) => boolean {
  switch (relation) {
    case 'within':
      return (shape) => isWithin(shape, area)
    case 'contains':
      return (shape) => area.every((point) => intersects(shape, [point]))
    default:
      return (shape) => intersects(shape, area)
  }
}

function isPointOutside({ type, coordinates }: Geometry, [west, south, east, north]: Box): boolean {
  if (type !== 'Point') return false
  const [x = 0, y = 0] = coordinates as readonly number[]
  return x < west || x > east || y < south || y > north
}
