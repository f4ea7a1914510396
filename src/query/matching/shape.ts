/**
 * Shapes on the plane of longitude and latitude, and how they relate. All sets are closed: a point
 * on an edge belongs to the shape. Nothing wraps at the antimeridian.
 *
 * PostgreSQL repeats this arithmetic, operation by operation, in the function `oqs_relates`, so that
 * all stores return the same objects.
 */

import type { GeoMember } from '../query.ts'

/** A connected part of a shape, or a polygon. */
export interface ShapeMember {
  readonly isPolygon: boolean
  /** A point, a line, or the rings of a polygon; each as longitude, latitude, longitude, … */
  readonly paths: readonly Float64Array[]
}

export type Shape = readonly ShapeMember[]

export interface Geometry {
  readonly type: string
  readonly coordinates?: unknown
  readonly geometries?: readonly Geometry[]
}

type Coordinates = readonly number[]

/** Returns the members of a shape as flat arrays. */
export function toShape(members: readonly GeoMember[]): Shape {
  return members.map(({ isPolygon, paths }) => ({
    isPolygon,
    paths: paths.map((path) => Float64Array.from(path.flat())),
  }))
}

/** Returns the members of a checked GeoJSON geometry, without elevations. */
export function membersOf({ type, coordinates, geometries = [] }: Geometry): GeoMember[] {
  const member = (isPolygon: boolean, paths: readonly (readonly Coordinates[])[]): GeoMember => ({
    isPolygon,
    paths: paths.map((path) => path.map(([x = 0, y = 0]) => [x, y] as const)),
  })
  const path = coordinates as readonly Coordinates[]
  const paths = coordinates as readonly (readonly Coordinates[])[]
  switch (type) {
    case 'Point':
      return [member(false, [[coordinates as Coordinates]])]
    case 'MultiPoint':
      return path.map((position) => member(false, [[position]]))
    case 'LineString':
      return [member(false, [path])]
    case 'MultiLineString':
      return paths.map((line) => member(false, [line]))
    case 'Polygon':
      return [member(true, paths)]
    case 'MultiPolygon':
      return (coordinates as (typeof paths)[]).map((rings) => member(true, rings))
    default:
      return geometries.flatMap(membersOf)
  }
}

/** True if two shapes have a point in common. */
export function intersects(a: Shape, b: Shape): boolean {
  if (!boxesMeet(boxOf(a), boxOf(b))) return false
  return edgesMeet(a, b) || hasPathInside(a, b) || hasPathInside(b, a)
}

/** True if each member of a shape is inside one of the areas, which are convex polygons. */
export function isWithin(shape: Shape, areas: Shape): boolean {
  const isInside = ({ paths }: ShapeMember, area: ShapeMember) =>
    paths.every((path) => {
      for (let at = 0; at < path.length; at += 2) {
        if (!isInPolygon(path[at] ?? 0, path[at + 1] ?? 0, area)) return false
      }
      return true
    })
  return shape.length > 0 && shape.every((member) => areas.some((area) => isInside(member, area)))
}

/** The edges of a shape: west, south, east, north. An empty shape has an empty box. */
export type Box = readonly [west: number, south: number, east: number, north: number]

export function boxOf(shape: Shape): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { paths } of shape) {
    for (const path of paths) {
      for (let at = 0; at < path.length; at += 2) {
        west = Math.min(west, path[at] ?? 0)
        east = Math.max(east, path[at] ?? 0)
        south = Math.min(south, path[at + 1] ?? 0)
        north = Math.max(north, path[at + 1] ?? 0)
      }
    }
  }
  return [west, south, east, north]
}

function boxesMeet(a: Box, b: Box): boolean {
  return a[0] <= b[2] && a[2] >= b[0] && a[1] <= b[3] && a[3] >= b[1]
}

/** Without common edges, a path is inside a polygon as a whole or not at all. */
function hasPathInside(a: Shape, b: Shape): boolean {
  return b.some(
    (area) =>
      area.isPolygon &&
      a.some(({ paths }) => paths.some((path) => isInPolygon(path[0] ?? 0, path[1] ?? 0, area))),
  )
}

/** By the even-odd rule over all rings, so holes are outside. */
function isInPolygon(x: number, y: number, { paths }: ShapeMember): boolean {
  let inside = false
  for (const ring of paths) {
    for (let at = 2; at < ring.length; at += 2) {
      const y1 = ring[at - 1] ?? 0
      const y2 = ring[at + 1] ?? 0
      if ((y1 > y && y2 > y) || (y1 < y && y2 < y)) continue
      const x1 = ring[at - 2] ?? 0
      const x2 = ring[at] ?? 0
      const side = sideOf(x1, y1, x2, y2, x, y)
      if (side === 0) {
        if (x >= Math.min(x1, x2) && x <= Math.max(x1, x2)) return true
      } else if (y1 > y !== y2 > y && y2 > y1 === side > 0) {
        inside = !inside
      }
    }
  }
  return inside
}

function edgesMeet(a: Shape, b: Shape): boolean {
  return a.some((one) =>
    one.paths.some((path) => b.some((other) => other.paths.some((edge) => pathsMeet(path, edge)))),
  )
}

/** A path of one point is one edge without length. */
function pathsMeet(a: Float64Array, b: Float64Array): boolean {
  for (let i = Math.min(2, a.length - 2); i < a.length; i += 2) {
    const from = Math.max(0, i - 2)
    for (let k = Math.min(2, b.length - 2); k < b.length; k += 2) {
      if (edgesTouch(a, from, i, b, Math.max(0, k - 2), k)) return true
    }
  }
  return false
}

function edgesTouch(
  a: Float64Array,
  aFrom: number,
  aTo: number,
  b: Float64Array,
  bFrom: number,
  bTo: number,
): boolean {
  const [ax1 = 0, ay1 = 0, ax2 = 0, ay2 = 0] = [a[aFrom], a[aFrom + 1], a[aTo], a[aTo + 1]]
  const [bx1 = 0, by1 = 0, bx2 = 0, by2 = 0] = [b[bFrom], b[bFrom + 1], b[bTo], b[bTo + 1]]
  if (Math.max(ax1, ax2) < Math.min(bx1, bx2) || Math.max(bx1, bx2) < Math.min(ax1, ax2))
    return false
  if (Math.max(ay1, ay2) < Math.min(by1, by2) || Math.max(by1, by2) < Math.min(ay1, ay2))
    return false
  // Each edge must have the ends of the other on different sides, or on its line.
  const aSides = sideOf(bx1, by1, bx2, by2, ax1, ay1) * sideOf(bx1, by1, bx2, by2, ax2, ay2)
  const bSides = sideOf(ax1, ay1, ax2, ay2, bx1, by1) * sideOf(ax1, ay1, ax2, ay2, bx2, by2)
  return aSides <= 0 && bSides <= 0
}

/** Returns on which side of a line a point lies: 1, -1, or 0 on the line. */
export function sideOf(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  x: number,
  y: number,
): number {
  const product = difference(x2, x1) * difference(y, y1) - difference(y2, y1) * difference(x, x1)
  return product > 0 ? 1 : product < 0 ? -1 : 0
}

/** Differences below this are none: PostgreSQL reports an error if a product underflows. */
const LEAST_DIFFERENCE = 1e-150

function difference(a: number, b: number): number {
  const result = a - b
  return result > -LEAST_DIFFERENCE && result < LEAST_DIFFERENCE ? 0 : result
}
