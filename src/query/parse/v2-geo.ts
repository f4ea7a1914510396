/** Parses the conditions of v2 on geopoints and geoshapes. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import { readGeoPoint, readGeoShape } from '../../ontology/values/read-geometry.ts'
import { RefusedValue, refuse } from '../../ontology/values/refused-value.ts'
import { NOTHING } from '../combine-queries.ts'
import { type Geometry, membersOf, type ShapeMember, sideOf, toShape } from '../matching/shape.ts'
import type { GeoArea, GeoMember, GeoRelation, Position, Query } from '../query.ts'
import { invalidFilter, notSupported } from './conditions.ts'
import type { QueryMembers, QueryParsing } from './parse-query.ts'
import { refuseUnknownMembers, unprocessable } from './unprocessable.ts'

/** Metres per unit. */
const UNITS: ReadonlyMap<unknown, number> = new Map([
  ['MILLIMETERS', 0.001],
  ['CENTIMETERS', 0.01],
  ['METERS', 1],
  ['KILOMETERS', 1000],
  ['INCHES', 0.0254],
  ['FEET', 0.3048],
  ['YARDS', 0.9144],
  ['MILES', 1609.344],
  ['NAUTICAL_MILES', 1852],
])

const MODES: ReadonlyMap<unknown, GeoRelation> = new Map([
  ['INTERSECTS', 'intersects'],
  ['DISJOINT', 'disjoint'],
  ['WITHIN', 'within'],
  ['CONTAINS', 'contains'],
])

/** One condition, with what its messages need. */
interface GeoCondition {
  readonly type: string
  readonly written: string
  readonly parsing: QueryParsing
}

/** Parses `withinBoundingBox` and the like; the value is a box. */
export function parseBoxQuery(relation: GeoRelation) {
  return (written: string, { type, value }: QueryMembers, parsing: QueryParsing): Query => {
    const condition = { type: String(type), written, parsing }
    return geoQuery(condition, relation, readArea(condition, 'box', value, readBox))
  }
}

/** Parses `withinPolygon` and the like; the value is a GeoJSON polygon. */
export function parsePolygonQuery(relation: GeoRelation) {
  return (written: string, { type, value }: QueryMembers, parsing: QueryParsing): Query => {
    const condition = { type: String(type), written, parsing }
    const area = readArea(condition, 'GeoJSON Polygon', value, (polygon) =>
      readGeometry(polygon, ['Polygon']),
    )
    return geoQuery(condition, relation, area)
  }
}

export function parseDistanceQuery(
  written: string,
  { value }: QueryMembers,
  parsing: QueryParsing,
): Query {
  const condition = { type: 'withinDistanceOf', written, parsing }
  const path = `${parsing.path}.value`
  if (!isJsonObject(value)) throw unprocessable(path, 'is not a center with a distance')
  refuseUnknownMembers(value, ['center', 'distance'], path, 'a circle')
  const [member] = readArea(condition, 'GeoJSON Point', value['center'], (center) =>
    membersOf({ type: 'Point', coordinates: readPosition(center) }),
  )
  const center = member?.paths[0]?.[0] ?? [0, 0]
  const metres = readDistance(value['distance'], `${path}.distance`)
  const { field, type } = parsing.conditions.resolve(written, parsing.path)
  // Only the distance of a point is defined.
  if (type !== 'geopoint') throw notSupported(condition.type, written)
  return { kind: 'geo', field, relation: 'intersects', area: { kind: 'circle', center, metres } }
}

export function parseGeoShapeQuery(
  written: string,
  { geometry, spatialFilterMode }: QueryMembers,
  parsing: QueryParsing,
): Query {
  const { path } = parsing
  const relation = MODES.get(spatialFilterMode)
  if (relation === undefined) {
    const modes = [...MODES.keys()].join(', ')
    throw unprocessable(`${path}.spatialFilterMode`, `is not one of ${modes}`)
  }
  const condition = { type: `geoShapeV2 ${spatialFilterMode}`, written, parsing }
  const kind = isJsonObject(geometry) ? geometry['type'] : undefined
  if (!isJsonObject(geometry) || (kind !== 'envelope' && kind !== 'geoJson')) {
    throw unprocessable(`${path}.geometry`, 'is not a geometry of type envelope or geoJson')
  }
  if (kind === 'envelope') {
    const { type: _, ...box } = geometry
    return geoQuery(condition, relation, readArea(condition, 'box', box, readBox))
  }
  refuseUnknownMembers(geometry, ['type', 'geoJson'], `${path}.geometry`, 'a geoJson geometry')
  const { geoJson } = geometry
  const area = readArea(condition, 'text of a GeoJSON geometry', geoJson, (text) =>
    readGeometry(parseJson(text)),
  )
  return geoQuery(condition, relation, area)
}

/** Checks that the property supports the relation, and returns the condition. */
function geoQuery(
  { type, written, parsing }: GeoCondition,
  relation: GeoRelation,
  members: readonly GeoMember[],
): Query {
  const { field, type: propertyType } = parsing.conditions.resolve(written, parsing.path)
  const area: GeoArea = { kind: 'shape', members }
  const isOnlyPoints = members.every(({ paths }) => paths[0]?.length === 1)
  if (propertyType === 'geopoint') {
    // A point contains nothing but itself, and is within what it intersects.
    if (relation === 'contains' && !isOnlyPoints) return NOTHING
    return { kind: 'geo', field, relation: relation === 'within' ? 'intersects' : relation, area }
  }
  const isSupported =
    propertyType === 'geoshape' &&
    (relation === 'within'
      ? toShape(members).every(isConvex)
      : relation !== 'contains' || isOnlyPoints)
  if (!isSupported) throw notSupported(type, written)
  return { kind: 'geo', field, relation, area }
}

/** Reads an area and charges its positions; a refused value becomes the error of the client. */
function readArea(
  { written, parsing }: GeoCondition,
  expectedType: string,
  value: unknown,
  read: (value: unknown) => readonly GeoMember[],
): readonly GeoMember[] {
  try {
    const members = read(value)
    if (members.length === 0) refuse('is empty')
    const positions = members.flatMap(({ paths }) => paths.map(({ length }) => length))
    parsing.budget.spendTerms(positions.reduce((sum, length) => sum + length, 0))
    return members
  } catch (error) {
    if (!(error instanceof RefusedValue)) throw error
    throw invalidFilter(written, value, expectedType, error.reason)
  }
}

function readGeometry(value: unknown, types?: readonly string[]): GeoMember[] {
  const geometry = JSON.parse(readGeoShape(value)) as Geometry
  if (types !== undefined && !types.includes(geometry.type)) refuse(`is not a ${types.join(', ')}`)
  return membersOf(geometry)
}

function readPosition(value: unknown): Position {
  const { longitude, latitude } = readGeoPoint(value)
  return [longitude, latitude]
}

/** A box whose west is east of its east crosses the antimeridian: two polygons. */
function readBox(value: unknown): GeoMember[] {
  if (!isJsonObject(value)) refuse('is not a box with topLeft and bottomRight')
  const unknown = Object.keys(value).find((name) => name !== 'topLeft' && name !== 'bottomRight')
  if (unknown !== undefined) refuse(`has the unknown member ${unknown}`)
  const [west, north] = readPosition(value['topLeft'])
  const [east, south] = readPosition(value['bottomRight'])
  if (north < south) refuse('has its top below its bottom')
  const box = (from: number, to: number): GeoMember => ({
    isPolygon: true,
    paths: [
      [
        [from, south],
        [to, south],
        [to, north],
        [from, north],
        [from, south],
      ],
    ],
  })
  return west <= east ? [box(west, east)] : [box(west, 180), box(-180, east)]
}

function readDistance(value: unknown, path: string): number {
  if (!isJsonObject(value)) throw unprocessable(path, 'is not a distance with value and unit')
  refuseUnknownMembers(value, ['value', 'unit'], path, 'a distance')
  const metres = UNITS.get(value['unit'])
  if (metres === undefined) {
    throw new ObjectQueryError('UnknownDistanceUnit', {
      unknownUnit: value['unit'],
      knownUnits: [...UNITS.keys()],
    })
  }
  const distance = value['value']
  if (typeof distance !== 'number' || !Number.isFinite(distance) || distance < 0) {
    throw unprocessable(`${path}.value`, 'is not a number of at least 0')
  }
  return distance * metres
}

function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return refuse('is not a string')
  try {
    return JSON.parse(text)
  } catch {
    return refuse('is not JSON')
  }
}

/** True for a polygon without holes all of whose corners turn the same way, once around. */
function isConvex({ isPolygon, paths }: ShapeMember): boolean {
  const [ring, ...holes] = paths
  if (!isPolygon || ring === undefined || holes.length > 0) return false
  const corners: (readonly [number, number])[] = []
  for (let at = 2; at < ring.length; at += 2) corners.push([ring[at] ?? 0, ring[at + 1] ?? 0])
  const cornerAt = (index: number) => corners[index % corners.length] ?? [0, 0]
  const turns = new Set(
    corners.map((corner, index) =>
      sideOf(...corner, ...cornerAt(index + 1), ...cornerAt(index + 2)),
    ),
  )
  if (turns.has(1) && turns.has(-1)) return false
  // A ring that turns the same way but goes around twice changes its direction more often.
  return [0, 1].every((axis) => {
    const directions = corners
      .map((corner, index) => Math.sign((cornerAt(index + 1)[axis] ?? 0) - (corner[axis] ?? 0)))
      .filter((direction) => direction !== 0)
    const changes = directions.filter(
      (direction, index) => direction !== directions[(index + 1) % directions.length],
    )
    return changes.length <= 2
  })
}
