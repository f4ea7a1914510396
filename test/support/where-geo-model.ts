/** The reference model of conditions on positions and shapes, in exact integer arithmetic. */
import type { RequestQuery } from './query-model.ts'

type Exact = readonly [x: bigint, y: bigint]
type Segment = readonly [Exact, Exact]

interface ExactShape {
  /** Points are segments without length. */
  readonly segments: readonly Segment[]
  /** The vertices of each point, line or polygon. */
  readonly members: readonly (readonly Exact[])[]
  /** The edges of each polygon, of all its rings. */
  readonly polygons: readonly (readonly Segment[])[]
}

interface Geometry {
  readonly type: string
  readonly coordinates?: unknown
  readonly geometries?: readonly Geometry[]
}

/** Scales doubles of the size of coordinates to integers without loss. */
const SCALE = 2 ** 70

function exact([longitude = 0, latitude = 0]: readonly number[]): Exact {
  return [BigInt(longitude * SCALE), BigInt(latitude * SCALE)]
}

/** True if the values of a field satisfy a condition of v2. */
export function holdsGeo(query: RequestQuery, values: readonly unknown[]): boolean {
  const geometries = values as readonly Geometry[]
  if (query.type === 'withinDistanceOf') {
    return geometries.some((geometry) => isNear(geometry, query['value']))
  }
  const [relation, area] = areaOf(query)
  const shapes = geometries.map(shapeOf)
  switch (relation) {
    case 'disjoint':
      return shapes.length > 0 && !shapes.some((shape) => meet(shape, area))
    case 'within':
      return shapes.some((shape) => isWithin(shape, area))
    case 'contains':
      return shapes.some((shape) =>
        area.members.every((point) =>
          meet(shape, { segments: pairs(point), members: [point], polygons: [] }),
        ),
      )
    default:
      return shapes.some((shape) => meet(shape, area))
  }
}

function areaOf(query: RequestQuery): readonly [relation: string, area: ExactShape] {
  if (query.type === 'geoShapeV2') {
    const geometry = query['geometry'] as Record<string, unknown>
    const relation = String(query['spatialFilterMode']).toLowerCase()
    return [
      relation,
      geometry['type'] === 'envelope'
        ? boxShape(geometry)
        : shapeOf(JSON.parse(String(geometry['geoJson']))),
    ]
  }
  const relation = query.type.startsWith('within')
    ? 'within'
    : query.type.startsWith('doesNot')
      ? 'disjoint'
      : 'intersects'
  return [
    relation,
    query.type.endsWith('BoundingBox')
      ? boxShape(query['value'] as Record<string, unknown>)
      : shapeOf(query['value'] as Geometry),
  ]
}

function boxShape(box: Record<string, unknown>): ExactShape {
  const corner = (name: string) => (box[name] as { coordinates: number[] }).coordinates
  const [west = 0, north = 0] = corner('topLeft')
  const [east = 0, south = 0] = corner('bottomRight')
  const ring = (from: number, to: number) => [
    [
      [from, south],
      [to, south],
      [to, north],
      [from, north],
      [from, south],
    ],
  ]
  const boxes = west <= east ? [ring(west, east)] : [ring(west, 180), ring(-180, east)]
  return shapeOf({ type: 'MultiPolygon', coordinates: boxes })
}

function shapeOf({ type, coordinates, geometries = [] }: Geometry): ExactShape {
  const point = (position: number[]): ExactShape => {
    const path = [exact(position)]
    return { segments: pairs(path), members: [path], polygons: [] }
  }
  const line = (positions: number[][]): ExactShape => {
    const path = positions.map(exact)
    return { segments: pairs(path), members: [path], polygons: [] }
  }
  const polygon = (rings: number[][][]): ExactShape => {
    const paths = rings.map((ring) => ring.map(exact))
    const segments = paths.flatMap(pairs)
    return { segments, members: [paths.flat()], polygons: [segments] }
  }
  switch (type) {
    case 'Point':
      return point(coordinates as number[])
    case 'MultiPoint':
      return joined((coordinates as number[][]).map(point))
    case 'LineString':
      return line(coordinates as number[][])
    case 'MultiLineString':
      return joined((coordinates as number[][][]).map(line))
    case 'Polygon':
      return polygon(coordinates as number[][][])
    case 'MultiPolygon':
      return joined((coordinates as number[][][][]).map(polygon))
    default:
      return joined(geometries.map(shapeOf))
  }
}

function joined(shapes: readonly ExactShape[]): ExactShape {
  return {
    segments: shapes.flatMap(({ segments }) => segments),
    members: shapes.flatMap(({ members }) => members),
    polygons: shapes.flatMap(({ polygons }) => polygons),
  }
}

function pairs(path: readonly Exact[]): Segment[] {
  const [first] = path
  if (path.length === 1 && first !== undefined) return [[first, first]]
  return path.slice(1).map((to, index) => [path[index] ?? to, to])
}

function meet(a: ExactShape, b: ExactShape): boolean {
  return (
    a.segments.some((one) => b.segments.some((other) => cross(one, other))) ||
    a.members.flat().some((vertex) => b.polygons.some((edges) => isInside(vertex, edges))) ||
    b.members.flat().some((vertex) => a.polygons.some((edges) => isInside(vertex, edges)))
  )
}

function isWithin(shape: ExactShape, area: ExactShape): boolean {
  // A point or a line of the area can also contain a point.
  if (area.polygons.length < area.members.length) return meet(shape, area)
  return (
    shape.members.length > 0 &&
    shape.members.every((vertices) =>
      area.polygons.some((edges) => vertices.every((vertex) => isInside(vertex, edges))),
    )
  )
}

function side([[x1, y1], [x2, y2]]: Segment, [x, y]: Exact): bigint {
  return (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
}

function isOn(segment: Segment, point: Exact): boolean {
  const [[x1, y1], [x2, y2]] = segment
  const isBetween = (value: bigint, a: bigint, b: bigint) =>
    (value >= a && value <= b) || (value >= b && value <= a)
  return side(segment, point) === 0n && isBetween(point[0], x1, x2) && isBetween(point[1], y1, y2)
}

/** True if two segments have a point in common: an end of one, or a crossing. */
function cross(a: Segment, b: Segment): boolean {
  if (a.some((end) => isOn(b, end)) || b.some((end) => isOn(a, end))) return true
  return (
    side(a, b[0]) > 0n !== side(a, b[1]) > 0n &&
    side(b, a[0]) > 0n !== side(b, a[1]) > 0n &&
    [side(a, b[0]), side(a, b[1]), side(b, a[0]), side(b, a[1])].every((one) => one !== 0n)
  )
}

/** True if a point is on an edge, or crosses an odd number of edges on its way to the east. */
function isInside(point: Exact, edges: readonly Segment[]): boolean {
  if (edges.some((edge) => isOn(edge, point))) return true
  const crossed = edges.filter((edge) => {
    const [[, y1], [, y2]] = edge
    if (y1 > point[1] === y2 > point[1]) return false
    return y2 > y1 ? side(edge, point) > 0n : side(edge, point) < 0n
  })
  return crossed.length % 2 === 1
}

const METRES: Readonly<Record<string, number>> = {
  MILLIMETERS: 1e-3,
  CENTIMETERS: 1e-2,
  METERS: 1,
  KILOMETERS: 1e3,
  INCHES: 0.0254,
  FEET: 0.3048,
  YARDS: 0.9144,
  MILES: 1609.344,
  NAUTICAL_MILES: 1852,
}

/** The haversine formula. */
function isNear({ coordinates }: Geometry, circle: unknown): boolean {
  const { center, distance } = circle as {
    center: { coordinates: number[] }
    distance: { value: number; unit: string }
  }
  const radians = (degrees = 0) => (degrees * Math.PI) / 180
  const [x1, y1] = (coordinates as number[]).map(radians)
  const [x2, y2] = center.coordinates.map(radians)
  const [east, north] = [(x2 ?? 0) - (x1 ?? 0), (y2 ?? 0) - (y1 ?? 0)]
  const square =
    Math.sin(north / 2) ** 2 + Math.cos(y1 ?? 0) * Math.cos(y2 ?? 0) * Math.sin(east / 2) ** 2
  const metres = 2 * 6_371_008.8 * Math.asin(Math.sqrt(Math.min(1, square)))
  // Generated distances are not near a radius, except for those of equal positions.
  return metres <= distance.value * (METRES[distance.unit] ?? 0) + 1e-6
}
