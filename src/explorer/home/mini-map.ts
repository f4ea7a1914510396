/** The outline of the continents as one small path. */
import type { Position } from 'geojson'
import type { GeoCell } from '../map/geo-cells.ts'

export const MAP_WIDTH = 240
export const MAP_HEIGHT = 110
/** The poles are left out: hardly anything is there, and they cost a third of the height. */
const NORTH = 84
const SOUTH = -60

export function toMap([longitude = 0, latitude = 0]: readonly number[]): readonly [
  x: number,
  y: number,
] {
  const x = ((longitude + 180) * MAP_WIDTH) / 360
  const y = ((NORTH - latitude) * MAP_HEIGHT) / (NORTH - SOUTH)
  return [round(x), round(y)]
}

/** Loads the land, and draws it. */
export async function landPath(): Promise<string> {
  const { loadLand } = await import('../map/world.ts')
  return pathOf(ringsOf(await loadLand()))
}

export function pathOf(rings: readonly (readonly Position[])[]): string {
  return rings.map((ring) => ring.map(stepTo).join('')).join('')
}

/** Starts a new line where a ring jumps over the antimeridian; a drawn line would cross the map. */
function stepTo(position: Position, index: number, ring: readonly Position[]): string {
  const last = ring[index - 1]
  const isJump = last === undefined || Math.abs((position[0] ?? 0) - (last[0] ?? 0)) > 180
  return `${isJump ? 'M' : 'L'}${toMap(position).join(' ')}`
}

const OPACITIES = [0.3, 0.55, 0.8, 1]

export interface Tier {
  readonly opacity: number
  readonly path: string
}

/** Draws cells as points, the fuller the stronger. The strength grows with the digits of a count. */
export function tiersOf(cells: readonly GeoCell[]): readonly Tier[] {
  const most = cells.reduce((largest, { count }) => Math.max(largest, count), 1)
  const tierOf = ({ count }: GeoCell) => {
    const share = most === 1 ? 1 : Math.log(count) / Math.log(most)
    return Math.min(OPACITIES.length - 1, Math.floor(share * OPACITIES.length))
  }
  return OPACITIES.map((opacity, tier) => ({
    opacity,
    path: cells
      .filter((cell) => tierOf(cell) === tier)
      .map(({ longitude, latitude }) => `M${toMap([longitude, latitude]).join(' ')}h.01`)
      .join(''),
  }))
}

/** Returns the rings of all polygons, however deep they are nested. */
export function ringsOf(shape: unknown): Position[][] {
  const { geometry, features, geometries, coordinates, type } = (shape ?? {}) as {
    readonly geometry?: unknown
    readonly features?: readonly unknown[]
    readonly geometries?: readonly unknown[]
    readonly coordinates?: unknown
    readonly type?: string
  }
  if (type === 'Polygon') return coordinates as Position[][]
  if (type === 'MultiPolygon') return (coordinates as Position[][][]).flat()
  return [geometry, ...(features ?? []), ...(geometries ?? [])]
    .filter((part) => part !== undefined)
    .flatMap(ringsOf)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
