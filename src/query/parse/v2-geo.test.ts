import { describe, expect, it } from 'vitest'
import { failure, fieldOf, parserOf, unprocessable } from '../../../test/support/parsed-queries.ts'
import { NOTHING } from '../combine-queries.ts'
import type { Position } from '../query.ts'
import { V2_QUERIES } from './v2-query-language.ts'

const parse = parserOf(V2_QUERIES)
const point = (...coordinates: number[]) => ({ type: 'Point', coordinates })
const box = (west: number, south: number, east: number, north: number) => ({
  topLeft: point(west, north),
  bottomRight: point(east, south),
})
const ringOf = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]
const polygon = (...paths: readonly (readonly Position[])[]) => ({ isPolygon: true, paths })
const geo = (relation: string, members: readonly object[], property = 'location') => ({
  kind: 'geo',
  field: fieldOf(property),
  relation,
  area: { kind: 'shape', members },
})
const notSupported = (type: string, property: string) =>
  failure('PropertyTypesSearchNotSupported', { parameters: { [type]: [property] } })
const invalid = (value: unknown, expectedType: string, reason: string) =>
  failure('InvalidFilterValue', { field: 'location', value, expectedType, reason })

describe('a bounding box', () => {
  it.each([
    ['withinBoundingBox', 'location', 'intersects'],
    ['intersectsBoundingBox', 'location', 'intersects'],
    ['doesNotIntersectBoundingBox', 'location', 'disjoint'],
    ['withinBoundingBox', 'area', 'within'],
    ['intersectsBoundingBox', 'area', 'intersects'],
    ['doesNotIntersectBoundingBox', 'area', 'disjoint'],
  ])('%s of %s is %s', (type, field, relation) => {
    const query = geo(relation, [polygon(ringOf(1, 2, 3, 4))], field)
    expect(parse({ type, field, value: box(1, 2, 3, 4) })).toEqual(query)
  })

  it.each([
    [box(170, 0, -170, 9), [polygon(ringOf(170, 0, 180, 9)), polygon(ringOf(-180, 0, -170, 9))]],
    [box(5, 6, 5, 6), [polygon(ringOf(5, 6, 5, 6))]],
  ])('%j has the right edges', (value, members) => {
    expect(parse({ type: 'withinBoundingBox', field: 'location', value })).toEqual(
      geo('intersects', members),
    )
  })

  it.each([
    [7, 'is not a box with topLeft and bottomRight'],
    [{ ...box(1, 2, 3, 4), x: 1 }, 'has the unknown member x'],
    [box(1, 4, 3, 2), 'has its top below its bottom'],
    [{ topLeft: point(1, 2) }, 'is not GeoJSON of type Point'],
  ])('%j is refused', (value, reason) => {
    expect(() => parse({ type: 'withinBoundingBox', field: 'location', value })).toThrow(
      invalid(value, 'box', reason),
    )
  })

  it('is not supported for other properties', () => {
    const where = { type: 'withinBoundingBox', field: 'name', value: box(1, 2, 3, 4) }
    expect(() => parse(where)).toThrow(notSupported('withinBoundingBox', 'name'))
  })

  it('counts each position as a condition', () => {
    const boxes = (count: number) => {
      const one = { type: 'withinBoundingBox', field: 'location', value: box(1, 2, 3, 4) }
      return parse({ type: 'or', value: Array.from({ length: count }, () => one) })
    }
    expect(boxes(16)).toMatchObject({ of: { length: 16 } })
    expect(() => boxes(17)).toThrow(failure('QueryTermsExceededLimit', { termsLimit: 100 }))
  })
})

describe('a polygon', () => {
  const ring = ringOf(0, 0, 9, 9)
  const hole = ringOf(1, 1, 2, 2)
  const value = { type: 'Polygon', coordinates: [ring, hole] }

  it.each([
    ['withinPolygon', 'intersects'],
    ['intersectsPolygon', 'intersects'],
    ['doesNotIntersectPolygon', 'disjoint'],
  ])('%s is %s for a point', (type, relation) => {
    expect(parse({ type, field: 'location', value })).toEqual(geo(relation, [polygon(ring, hole)]))
  })

  it('must be convex to contain shapes', () => {
    const within = (coordinates: readonly Position[][]) =>
      parse({ type: 'withinPolygon', field: 'area', value: { type: 'Polygon', coordinates } })
    expect(within([ring])).toEqual(geo('within', [polygon(ring)], 'area'))
    expect(() => within([ring, hole])).toThrow(notSupported('withinPolygon', 'area'))
  })

  it.each([
    [point(1, 2), 'is not a Polygon'],
    [{ type: 'Polygon', coordinates: [] }, 'has no list of at least 1 items'],
  ])('%j is refused', (other, reason) => {
    expect(() => parse({ type: 'withinPolygon', field: 'location', value: other })).toThrow(
      invalid(other, 'GeoJSON Polygon', reason),
    )
  })
})

describe('a circle', () => {
  const circle = (distance: unknown, center: unknown = point(1, 2)) => ({ center, distance })
  const within = (value: unknown, field = 'location') =>
    parse({ type: 'withinDistanceOf', field, value })

  it.each([
    ['MILLIMETERS', 0.001],
    ['CENTIMETERS', 0.01],
    ['METERS', 1],
    ['KILOMETERS', 1000],
    ['INCHES', 0.0254],
    ['FEET', 0.3048],
    ['YARDS', 0.9144],
    ['MILES', 1609.344],
    ['NAUTICAL_MILES', 1852],
  ])('can be measured in %s', (unit, metres) => {
    expect(within(circle({ value: 2, unit }))).toEqual({
      kind: 'geo',
      field: fieldOf('location'),
      relation: 'intersects',
      area: { kind: 'circle', center: [1, 2], metres: 2 * metres },
    })
    expect(within(circle({ value: 0, unit }), 'gates')).toMatchObject({ area: { metres: 0 } })
  })

  const notADistance = unprocessable('where.value.distance.value', 'is not a number of at least 0')

  it.each([
    [7, unprocessable('where.value', 'is not a center with a distance')],
    [
      { ...circle({}), x: 1 },
      unprocessable(
        'where.value.x',
        'a circle has no such member; allowed members: center, distance',
      ),
    ],
    [circle(7), unprocessable('where.value.distance', 'is not a distance with value and unit')],
    [
      circle({ value: 1, unit: 'METERS', x: 1 }),
      unprocessable(
        'where.value.distance.x',
        'a distance has no such member; allowed members: value, unit',
      ),
    ],
    [
      circle({ value: 1, unit: 'PARSECS' }),
      failure('UnknownDistanceUnit', {
        unknownUnit: 'PARSECS',
        knownUnits: [
          'MILLIMETERS',
          'CENTIMETERS',
          'METERS',
          'KILOMETERS',
          'INCHES',
          'FEET',
          'YARDS',
          'MILES',
          'NAUTICAL_MILES',
        ],
      }),
    ],
    [circle({ value: -1, unit: 'METERS' }), notADistance],
    [circle({ value: Infinity, unit: 'METERS' }), notADistance],
    [circle({ value: '1', unit: 'METERS' }), notADistance],
    [circle({}, 7), invalid(7, 'GeoJSON Point', 'is not GeoJSON of type Point')],
  ])('%j is refused', (value, refusal) => {
    expect(() => within(value)).toThrow(refusal)
  })

  it('is not supported for shapes', () => {
    expect(() => within(circle({ value: 1, unit: 'METERS' }), 'area')).toThrow(
      notSupported('withinDistanceOf', 'area'),
    )
  })
})

describe('a geometry', () => {
  const shape = (spatialFilterMode: unknown, geometry: unknown, field = 'location') =>
    parse({ type: 'geoShapeV2', field, geometry, spatialFilterMode })
  const geoJson = (geometry: object) => ({ type: 'geoJson', geoJson: JSON.stringify(geometry) })
  const envelope = { type: 'envelope', ...box(1, 2, 3, 4) }
  const members = [polygon(ringOf(1, 2, 3, 4))]
  const points = [
    { isPolygon: false, paths: [[[1, 2]]] },
    { isPolygon: false, paths: [[[3, 4]]] },
  ]
  const multiPoint = geoJson({
    type: 'MultiPoint',
    coordinates: [
      [1, 2],
      [3, 4],
    ],
  })
  const line = geoJson({
    type: 'LineString',
    coordinates: [
      [1, 2],
      [3, 4],
    ],
  })

  it.each([
    ['INTERSECTS', envelope, 'location', geo('intersects', members)],
    ['DISJOINT', envelope, 'location', geo('disjoint', members)],
    ['WITHIN', envelope, 'location', geo('intersects', members)],
    ['CONTAINS', envelope, 'location', NOTHING],
    ['CONTAINS', line, 'location', NOTHING],
    ['CONTAINS', multiPoint, 'location', geo('contains', points)],
    ['CONTAINS', multiPoint, 'area', geo('contains', points, 'area')],
    ['WITHIN', envelope, 'area', geo('within', members, 'area')],
    ['DISJOINT', multiPoint, 'area', geo('disjoint', points, 'area')],
  ])('%s %j of %s is parsed', (mode, geometry, field, query) => {
    expect(shape(mode, geometry, field)).toEqual(query)
  })

  it.each([
    ['CONTAINS', envelope, 'area', notSupported('geoShapeV2 CONTAINS', 'area')],
    ['WITHIN', multiPoint, 'area', notSupported('geoShapeV2 WITHIN', 'area')],
    ['INTERSECTS', envelope, 'name', notSupported('geoShapeV2 INTERSECTS', 'name')],
    [
      'TOUCHES',
      envelope,
      'location',
      unprocessable(
        'where.spatialFilterMode',
        'is not one of INTERSECTS, DISJOINT, WITHIN, CONTAINS',
      ),
    ],
    [
      'WITHIN',
      { ...multiPoint, type: 'wkt' },
      'location',
      unprocessable('where.geometry', 'is not a geometry of type envelope or geoJson'),
    ],
    [
      'WITHIN',
      'envelope',
      'location',
      unprocessable('where.geometry', 'is not a geometry of type envelope or geoJson'),
    ],
    [
      'WITHIN',
      { ...multiPoint, x: 1 },
      'location',
      unprocessable(
        'where.geometry.x',
        'a geoJson geometry has no such member; allowed members: type, geoJson',
      ),
    ],
    [
      'WITHIN',
      { type: 'geoJson', geoJson: 7 },
      'location',
      invalid(7, 'text of a GeoJSON geometry', 'is not a string'),
    ],
    [
      'WITHIN',
      { type: 'geoJson', geoJson: '{' },
      'location',
      invalid('{', 'text of a GeoJSON geometry', 'is not JSON'),
    ],
    [
      'WITHIN',
      geoJson({ type: 'MultiPoint', coordinates: [] }),
      'location',
      invalid('{"type":"MultiPoint","coordinates":[]}', 'text of a GeoJSON geometry', 'is empty'),
    ],
  ])('%s %j of %s is refused', (mode, geometry, field, refusal) => {
    expect(() => shape(mode, geometry, field)).toThrow(refusal)
  })
})
