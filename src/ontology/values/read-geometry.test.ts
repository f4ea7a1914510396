import { describe, expect, it } from 'vitest'
import { only, refusedFor } from '../../../test/support/refused-values.ts'
import { scalarReader } from './read-value.ts'

const readGeoPoint = scalarReader('geopoint')
const readGeoShape = scalarReader('geoshape')

const POINT = { type: 'Point', coordinates: [-118.4, 33.9] }
const SQUARE = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
]

const NOT_A_POSITION = refusedFor(
  'has a position that is not [longitude, latitude] or [longitude, latitude, elevation]',
)
const NOT_A_NUMBER = refusedFor('has a coordinate that is not a number')

describe('a geopoint', () => {
  it('is stored as a GeoJSON point, its type first', () => {
    const stored = '{"type":"Point","coordinates":[-118.4,33.9]}'
    expect(readGeoPoint(POINT)).toBe(stored)
    expect(readGeoPoint({ coordinates: [-118.4, 33.9], type: 'Point' })).toBe(stored)
  })

  it('can have an elevation without bounds', () => {
    expect(readGeoPoint({ type: 'Point', coordinates: [1, 2, -10_984] })).toBe(
      '{"type":"Point","coordinates":[1,2,-10984]}',
    )
  })

  it('can be on the antimeridian and at the poles', () => {
    for (const [longitude, latitude] of [
      [180, 90],
      [-180, -90],
    ]) {
      expect(readGeoPoint({ type: 'Point', coordinates: [longitude, latitude] })).toBe(
        `{"type":"Point","coordinates":[${longitude},${latitude}]}`,
      )
    }
  })

  it('stores minus zero as zero', () => {
    expect(readGeoPoint({ type: 'Point', coordinates: [-0, -0] })).toBe(
      '{"type":"Point","coordinates":[0,0]}',
    )
  })

  it.each([
    [[180.0000001, 0], 'has a longitude outside -180 to 180'],
    [[-181, 0], 'has a longitude outside -180 to 180'],
    [[0, 90.0000001], 'has a latitude outside -90 to 90'],
    [[33.9, -118.4], 'has a latitude outside -90 to 90'],
  ])('is refused outside the coordinate range: %j', (coordinates, reason) => {
    expect(() => readGeoPoint({ type: 'Point', coordinates })).toThrow(refusedFor(reason))
  })

  it.each(
    [undefined, null, '1,2', 1, {}, [], [1], [1, 2, 3, 4], { 0: 1, 1: 2, length: 2 }].map(only),
  )('has no position %j', (coordinates) => {
    expect(() => readGeoPoint({ type: 'Point', coordinates })).toThrow(NOT_A_POSITION)
  })

  it.each([
    ['1', '2'],
    [1, null],
    [null, null],
    [true, false],
    [[1], [2]],
    [1, 2, 'high'],
    [1, 2, null],
  ])('has no coordinates %j, %j, %j', (...coordinates) => {
    expect(() => readGeoPoint({ type: 'Point', coordinates })).toThrow(NOT_A_NUMBER)
  })

  it('refuses coordinates that JSON cannot express', () => {
    for (const number of [Number.NaN, Infinity, -Infinity]) {
      expect(() => readGeoPoint({ type: 'Point', coordinates: [0, 0, number] })).toThrow(
        NOT_A_NUMBER,
      )
    }
  })

  it.each(
    [
      null,
      undefined,
      'POINT(1 2)',
      '33.9,-118.4',
      [1, 2],
      {},
      { lat: 1, lon: 2 },
      { coordinates: [1, 2] },
      { type: ['Point'], coordinates: [1, 2] },
      { type: 'point', coordinates: [1, 2] },
      { type: 'LineString', coordinates: SQUARE },
      { type: 'Feature', geometry: POINT },
      { type: 'constructor', coordinates: [1, 2] },
    ].map(only),
  )('is never %j', (value) => {
    expect(() => readGeoPoint(value)).toThrow(refusedFor('is not GeoJSON of type Point'))
  })

  it.each(['bbox', 'crs', 'properties', 'geometries', '__proto__', 'constructor'])(
    'is refused with an unknown member %s',
    (member) => {
      const json = `{"type":"Point","coordinates":[1,2],"${member}":null}`
      expect(() => readGeoPoint(JSON.parse(json))).toThrow(
        refusedFor(`has an unknown member ${member}; allowed members: type, coordinates`),
      )
    },
  )
})

describe('a geoshape', () => {
  it.each([
    POINT,
    { type: 'MultiPoint', coordinates: [] },
    { type: 'MultiPoint', coordinates: SQUARE },
    { type: 'LineString', coordinates: SQUARE.slice(0, 2) },
    { type: 'MultiLineString', coordinates: [SQUARE, SQUARE.slice(1)] },
    { type: 'Polygon', coordinates: [SQUARE] },
    { type: 'Polygon', coordinates: [SQUARE, SQUARE] },
    { type: 'MultiPolygon', coordinates: [[SQUARE], [SQUARE, SQUARE]] },
    { type: 'GeometryCollection', geometries: [] },
    {
      type: 'GeometryCollection',
      geometries: [POINT, { type: 'Polygon', coordinates: [SQUARE] }],
    },
  ])('can be any GeoJSON geometry: $type', (shape) => {
    expect(readGeoShape(shape)).toBe(JSON.stringify(shape))
  })

  it.each([
    ['LineString', [[0, 0]], 2],
    ['MultiLineString', [[[0, 0]]], 2],
    ['Polygon', [], 1],
    ['Polygon', [SQUARE.slice(1)], 4],
    ['MultiPolygon', [[]], 1],
    ['MultiPoint', undefined, 0],
    ['MultiPoint', { length: 0 }, 0],
    ['LineString', 'abc', 2],
  ])('is refused when a list of a %s is too short: %j', (type, coordinates, least) => {
    expect(() => readGeoShape({ type, coordinates })).toThrow(
      refusedFor(`has no list of at least ${least} items`),
    )
  })

  it('is refused when a ring is open', () => {
    const open = [...SQUARE.slice(0, 3), [0, 0.5]]
    const reason = 'has a ring whose last position is not its first'
    expect(() => readGeoShape({ type: 'Polygon', coordinates: [open] })).toThrow(refusedFor(reason))
    expect(() => readGeoShape({ type: 'MultiPolygon', coordinates: [[SQUARE, open]] })).toThrow(
      refusedFor(reason),
    )
  })

  it('treats a ring as closed if only the sign of zero differs', () => {
    const ring = [...SQUARE.slice(0, 3), [-0, -0]]
    expect(readGeoShape({ type: 'Polygon', coordinates: [ring] })).toBe(
      '{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}',
    )
  })

  it('is refused if its coordinates have the wrong nesting', () => {
    expect(() => readGeoShape({ type: 'LineString', coordinates: [0, 0] })).toThrow(NOT_A_POSITION)
    expect(() => readGeoShape({ type: 'Point', coordinates: SQUARE.slice(0, 2) })).toThrow(
      NOT_A_NUMBER,
    )
    expect(() => readGeoShape({ type: 'LineString', coordinates: [SQUARE, SQUARE] })).toThrow(
      NOT_A_POSITION,
    )
  })

  it('checks the positions inside a collection', () => {
    const shape = {
      type: 'GeometryCollection',
      geometries: [POINT, { type: 'Point', coordinates: [200, 0] }],
    }
    expect(() => readGeoShape(shape)).toThrow(refusedFor('has a longitude outside -180 to 180'))
  })

  it('is refused if a collection contains something else than geometries, or has no list', () => {
    expect(() => readGeoShape({ type: 'GeometryCollection', geometries: [null] })).toThrow(
      /^is not GeoJSON of type Point, .*GeometryCollection$/,
    )
    expect(() => readGeoShape({ type: 'GeometryCollection' })).toThrow(
      refusedFor('has no list of at least 0 items'),
    )
    expect(() =>
      readGeoShape({ type: 'GeometryCollection', geometries: [], coordinates: [] }),
    ).toThrow(refusedFor('has an unknown member coordinates; allowed members: type, geometries'))
  })

  it('can nest at most eight collections', () => {
    const nested = (depth: number): unknown =>
      depth === 0 ? POINT : { type: 'GeometryCollection', geometries: [nested(depth - 1)] }
    expect(readGeoShape(nested(8))).toBe(JSON.stringify(nested(8)))
    expect(() => readGeoShape(nested(9))).toThrow(
      refusedFor('nests geometry collections more than 8 deep'),
    )
  })

  it('is refused without a crash at the maximum nesting of a request', () => {
    const deep = 100_000
    const json = `${'{"type":"GeometryCollection","geometries":['.repeat(deep)}${']}'.repeat(deep)}`
    expect(() => readGeoShape(JSON.parse(json))).toThrow(
      refusedFor('nests geometry collections more than 8 deep'),
    )
    const list = JSON.parse(`${'['.repeat(deep)}${']'.repeat(deep)}`)
    expect(() => readGeoShape({ type: 'MultiPolygon', coordinates: list })).toThrow(
      expect.objectContaining({ name: 'RefusedValue' }),
    )
  })

  it.each([null, 'x', [], {}, { type: 'Circle' }, { type: 'Feature', geometry: POINT }].map(only))(
    'is never %j',
    (value) => {
      expect(() => readGeoShape(value)).toThrow(/^is not GeoJSON of type Point, MultiPoint, /)
    },
  )
})
