/** Parses GeoJSON (RFC 7946) points and shapes. Longitude comes before latitude. */

import { isJsonObject, refuse } from './refused-value.ts'

/** The maximum nesting of geometry collections. Deeper ones could exhaust the stack. */
const COLLECTION_DEPTH = 8

/** A checked geopoint, with the GeoJSON text to store. */
export interface GeoPoint {
  readonly json: string
  readonly longitude: number
  readonly latitude: number
}

export function readGeoPoint(value: unknown): GeoPoint {
  const { coordinates } = readGeometryObject(value, ['Point'])
  const json = `{"type":"Point","coordinates":${positionText(coordinates)}}`
  const [longitude, latitude] = coordinates as [number, number]
  return { json, longitude, latitude }
}

/** Returns the canonical GeoJSON text of a shape. */
export function readGeoShape(value: unknown): string {
  return shapeText(value, COLLECTION_DEPTH)
}

function shapeText(value: unknown, depth: number): string {
  const { type, coordinates, geometries } = readGeometryObject(value, [
    ...Object.keys(COORDINATES),
    'GeometryCollection',
  ])
  if (type === 'GeometryCollection') {
    if (depth === 0) refuse(`nests geometry collections more than ${COLLECTION_DEPTH} deep`)
    const texts = readList(geometries, 0).map((geometry) => shapeText(geometry, depth - 1))
    return `{"type":"GeometryCollection","geometries":[${texts.join(',')}]}`
  }
  return `{"type":"${type}","coordinates":${COORDINATES[type]?.(coordinates)}}`
}

const lineText = (value: unknown) => listText(readList(value, 2), positionText)
const polygonText = (value: unknown) => listText(readList(value, 1), ringText)

const COORDINATES: Readonly<Record<string, (value: unknown) => string>> = {
  Point: positionText,
  MultiPoint: (value) => listText(readList(value, 0), positionText),
  LineString: lineText,
  MultiLineString: (value) => listText(readList(value, 0), lineText),
  Polygon: polygonText,
  MultiPolygon: (value) => listText(readList(value, 0), polygonText),
}

function ringText(value: unknown): string {
  const texts = readList(value, 4).map(positionText)
  if (texts[0] !== texts.at(-1)) refuse('has a ring whose last position is not its first')
  return `[${texts.join(',')}]`
}

function positionText(value: unknown): string {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3) {
    refuse('has a position that is not [longitude, latitude] or [longitude, latitude, elevation]')
  }
  const [longitude, latitude, elevation = 0] = value
  // Unrolled for speed: a shape can have hundreds of thousands of positions.
  if (!Number.isFinite(longitude) || !Number.isFinite(latitude) || !Number.isFinite(elevation)) {
    refuse('has a coordinate that is not a number')
  }
  if (Math.abs(longitude) > 180) refuse('has a longitude outside -180 to 180')
  if (Math.abs(latitude) > 90) refuse('has a latitude outside -90 to 90')
  return value.length === 2
    ? `[${longitude},${latitude}]`
    : `[${longitude},${latitude},${elevation}]`
}

interface GeometryObject {
  readonly type: string
  readonly coordinates?: unknown
  readonly geometries?: unknown
}

function readGeometryObject(value: unknown, types: readonly string[]): GeometryObject {
  if (!isJsonObject(value) || typeof value['type'] !== 'string' || !types.includes(value['type'])) {
    refuse(`is not GeoJSON of type ${types.join(', ')}`)
  }
  const body = value['type'] === 'GeometryCollection' ? 'geometries' : 'coordinates'
  const unknown = Object.keys(value).find((name) => name !== 'type' && name !== body)
  if (unknown !== undefined) {
    refuse(`has an unknown member ${unknown}; allowed members: type, ${body}`)
  }
  return value as unknown as GeometryObject
}

function readList(value: unknown, least: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length < least) {
    refuse(`has no list of at least ${least} items`)
  }
  return value
}

function listText(values: readonly unknown[], text: (value: unknown) => string): string {
  return `[${values.map(text).join(',')}]`
}
