/** Positions on the small map of a card. */
import type { GeoCell } from '../map/geo-cells.ts'

export const MAP_WIDTH = 240
export const MAP_HEIGHT = 110
/** The poles are left out: hardly anything is there, and they cost a third of the height. */
const NORTH = 84
const SOUTH = -60
/** Units of the map for each degree. */
export const X_SCALE = MAP_WIDTH / 360
export const Y_SCALE = MAP_HEIGHT / (NORTH - SOUTH)

export function toMap([longitude = 0, latitude = 0]: readonly number[]): readonly [
  x: number,
  y: number,
] {
  return [round((longitude + 180) * X_SCALE), round((NORTH - latitude) * Y_SCALE)]
}

type Counted = Omit<GeoCell, 'colour' | 'width'>

const OPACITIES = [0.3, 0.55, 0.8, 1]

export interface Tier {
  readonly opacity: number
  readonly path: string
}

/** Draws cells as points, the fuller the stronger. The strength grows with the digits of a count. */
export function tiersOf(cells: readonly Counted[]): readonly Tier[] {
  const most = cells.reduce((largest, { count }) => Math.max(largest, count), 1)
  const tierOf = ({ count }: Counted) => {
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

function round(value: number): number {
  return Math.round(value * 10) / 10
}
