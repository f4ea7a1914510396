/** Parses GeoJSON (RFC 7946) points and shapes. Longitude comes before latitude. */

import { isJsonObject } from '../json-object.ts'
import { finish, type Steps } from '../pausable-work.ts'
import { refuse } from './refused-value.ts'

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
  return finish(geoShapeSteps(value))
}

/** Like `readGeoShape`, in steps: a shape can have very many positions. */
export function geoShapeSteps(value: unknown, pace: Pace = { positions: 0 }): Steps<string> {
  return shapeText(value, COLLECTION_DEPTH, pace)
}

/** Counts positions, so that many short lists pause as often as a long one. */
export interface Pace {
  positions: number
}

const POSITIONS_PER_STEP = 4000

function* shapeText(value: unknown, depth: number, pace: Pace): Steps<string> {
  const { type, coordinates, geometries } = readGeometryObject(value, [
    ...Object.keys(COORDINATES),
    'GeometryCollection',
  ])
  if (type === 'GeometryCollection') {
    if (depth === 0) refuse(`nests geometry collections more than ${COLLECTION_DEPTH} deep`)
    const texts: string[] = []
    for (const one of readList(geometries, 0)) texts.push(yield* shapeText(one, depth - 1, pace))
    return `{"type":"GeometryCollection","geometries":[${texts.join(',')}]}`
  }
  const text = COORDINATES[type]
  return `{"type":"${type}","coordinates":${text && (yield* text(coordinates, pace))}}`
}

type TextSteps = (value: unknown, pace: Pace) => Steps<string>

const pointsText = listText(0, positionsText)
const lineText = listText(2, positionsText)
const ringText = listText(4, ringTexts)
const polygonText = listText(1, eachText(ringText))

const COORDINATES: Readonly<Record<string, TextSteps>> = {
  // biome-ignore lint/correctness/useYield: one position needs no pause.
  Point: function* (value) {
    return positionText(value)
  },
  MultiPoint: pointsText,
  LineString: lineText,
  MultiLineString: listText(0, eachText(lineText)),
  Polygon: polygonText,
  MultiPolygon: listText(0, eachText(polygonText)),
}

type ItemTexts = (values: readonly unknown[], pace: Pace) => Steps<string[]>

/** Returns the text of a list with at least some items. */
function listText(least: number, itemTexts: ItemTexts): TextSteps {
  return function* (value, pace) {
    return `[${(yield* itemTexts(readList(value, least), pace)).join(',')}]`
  }
}

function eachText(text: TextSteps): ItemTexts {
  return function* (values, pace) {
    const texts: string[] = []
    for (const value of values) texts.push(yield* text(value, pace))
    return texts
  }
}

function* positionsText(values: readonly unknown[], pace: Pace): Steps<string[]> {
  const texts: string[] = []
  for (const value of values) {
    pace.positions += 1
    if (pace.positions % POSITIONS_PER_STEP === 0) yield
    texts.push(positionText(value))
  }
  return texts
}

function* ringTexts(values: readonly unknown[], pace: Pace): Steps<string[]> {
  const texts = yield* positionsText(values, pace)
  if (texts[0] !== texts.at(-1)) refuse('has a ring whose last position is not its first')
  return texts
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
  const type = isJsonObject(value) ? value['type'] : undefined
  if (!isJsonObject(value) || typeof type !== 'string' || !types.includes(type)) {
    refuse(`is not GeoJSON of type ${types.join(', ')}`)
  }
  const body = type === 'GeometryCollection' ? 'geometries' : 'coordinates'
  const unknown = Object.keys(value).find((name) => name !== 'type' && name !== body)
  if (unknown !== undefined) {
    refuse(`has an unknown member ${unknown}; allowed members: type, ${body}`)
  }
  return { type, [body]: value[body] }
}

function readList(value: unknown, least: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length < least) {
    refuse(`has no list of at least ${least} items`)
  }
  return value
}
