/** Arbitraries of shapes, and of conditions on positions and shapes. */
import fc from 'fast-check'
import type { RequestQuery } from './query-model.ts'
import { positions } from './query-positions.ts'

const closed = (corners: readonly (readonly number[])[]) => [...corners, ...corners.slice(0, 1)]

const triangles = fc.array(positions, { minLength: 3, maxLength: 3 }).map(closed)

const boxes = fc.tuple(positions, positions).map(([[x1, y1], [x2, y2]]) =>
  closed([
    [x1, y1],
    [x2, y1],
    [x2, y2],
    [x1, y2],
  ]),
)

const rings = fc.oneof(
  boxes,
  triangles,
  fc.array(positions, { minLength: 3, maxLength: 6 }).map(closed),
)

/** Some with holes, which may lie anywhere. */
const polygons = fc.array(rings, { minLength: 1, maxLength: 2 })

const lines = fc.array(positions, { minLength: 2, maxLength: 4 })

const simple = fc.oneof(
  positions.map((coordinates) => ({ type: 'Point', coordinates: [...coordinates] })),
  fc.array(positions, { maxLength: 3 }).map((coordinates) => ({ type: 'MultiPoint', coordinates })),
  lines.map((coordinates) => ({ type: 'LineString', coordinates })),
  fc
    .array(lines, { maxLength: 2 })
    .map((coordinates) => ({ type: 'MultiLineString', coordinates })),
  polygons.map((coordinates) => ({ type: 'Polygon', coordinates })),
  fc
    .array(polygons, { maxLength: 2 })
    .map((coordinates) => ({ type: 'MultiPolygon', coordinates })),
)

export const geometries: fc.Arbitrary<{ type: string }> = fc.oneof(
  { weight: 6, arbitrary: simple },
  {
    weight: 1,
    arbitrary: fc
      .array(simple, { maxLength: 2 })
      .map((inner) => ({ type: 'GeometryCollection', geometries: inner })),
  },
)

const point = (coordinates: readonly number[]) => ({ type: 'Point', coordinates })

/** Boxes, some of which cross the antimeridian. */
const envelopes = fc.tuple(positions, positions).map(([[x1, y1], [x2, y2]]) => ({
  topLeft: point([x1, Math.max(y1, y2)]),
  bottomRight: point([x2, Math.min(y1, y2)]),
}))

const RADII = [
  [0, 'METERS'],
  [500, 'MILLIMETERS'],
  [120, 'KILOMETERS'],
  [95, 'NAUTICAL_MILES'],
  [300, 'MILES'],
  [9_000_000, 'YARDS'],
  [30_000_000, 'FEET'],
  [20_000, 'KILOMETERS'],
  [30_000, 'KILOMETERS'],
] as const

const circles = fc
  .tuple(positions, fc.constantFrom(...RADII))
  .map(([center, [value, unit]]) => ({ center: point(center), distance: { value, unit } }))

const isEmpty = (geometry: { type: string }) => !/\d/.test(JSON.stringify(geometry))

const geoJson = (geometry: object) => ({ type: 'geoJson', geoJson: JSON.stringify(geometry) })

/** The conditions that a property of the type supports. */
export function geoQueries(type: 'geopoint' | 'geoshape'): fc.Arbitrary<RequestQuery> {
  const isPoint = type === 'geopoint'
  const areas = geometries.filter((geometry) => !isEmpty(geometry))
  const convex = triangles.map((ring) => ({ type: 'Polygon', coordinates: [ring] }))
  const polygon = polygons.map((coordinates) => ({ type: 'Polygon', coordinates }))
  const points = fc.oneof(
    positions.map(point),
    fc
      .array(positions, { minLength: 1, maxLength: 2 })
      .map((coordinates) => ({ type: 'MultiPoint', coordinates })),
  )
  const shapeQuery = (mode: string, geometry: fc.Arbitrary<object>) =>
    geometry.map((one) => ({ type: 'geoShapeV2', geometry: one, spatialFilterMode: mode }))
  const envelope = envelopes.map((box) => ({ type: 'envelope', ...box }))
  return fc.oneof(
    fc
      .tuple(
        fc.constantFrom(
          'withinBoundingBox',
          'intersectsBoundingBox',
          'doesNotIntersectBoundingBox',
        ),
        envelopes,
      )
      .map(([name, value]) => ({ type: name, value })),
    fc
      .tuple(fc.constantFrom('intersectsPolygon', 'doesNotIntersectPolygon'), polygon)
      .map(([name, value]) => ({ type: name, value })),
    (isPoint ? polygon : convex).map((value) => ({ type: 'withinPolygon', value })),
    shapeQuery('INTERSECTS', fc.oneof(envelope, areas.map(geoJson))),
    shapeQuery('DISJOINT', fc.oneof(envelope, areas.map(geoJson))),
    shapeQuery('WITHIN', fc.oneof(envelope, (isPoint ? areas : convex).map(geoJson))),
    shapeQuery('CONTAINS', points.map(geoJson)),
    ...(isPoint ? [circles.map((value) => ({ type: 'withinDistanceOf', value }))] : []),
  )
}
