/**
 * The part of the world that a map shows. Degrees are drawn at equal lengths, so that a box of degrees
 * is a box on the screen.
 */
import type { Box } from '../view/view-state.ts'

export type Point = readonly [x: number, y: number]

export interface Camera {
  /** The position in the middle. */
  readonly longitude: number
  readonly latitude: number
  /** Pixels per degree. */
  readonly scale: number
}

export const WORLD: Box = [-180, -90, 180, 90]
const LARGEST_SCALE = 20_000

/** Returns the camera that shows all of a box. */
export function fitBox([west, south, east, north]: Box, [width, height]: Point): Camera {
  const scale = Math.min(
    width / Math.max(1e-6, east - west),
    height / Math.max(1e-6, north - south),
  )
  return {
    longitude: (west + east) / 2,
    latitude: (south + north) / 2,
    scale: Math.min(LARGEST_SCALE, scale),
  }
}

export function toScreen(
  camera: Camera,
  [width, height]: Point,
  [longitude, latitude]: Point,
): Point {
  return [
    width / 2 + (longitude - camera.longitude) * camera.scale,
    height / 2 - (latitude - camera.latitude) * camera.scale,
  ]
}

export function toDegrees(camera: Camera, [width, height]: Point, [x, y]: Point): Point {
  return [
    camera.longitude + (x - width / 2) / camera.scale,
    camera.latitude - (y - height / 2) / camera.scale,
  ]
}

/** Zooms so that the position under a point stays there. */
export function zoomAt(camera: Camera, size: Point, at: Point, factor: number): Camera {
  const [longitude, latitude] = toDegrees(camera, size, at)
  const smallest = fitBox(WORLD, size).scale
  const scale = Math.max(smallest, Math.min(LARGEST_SCALE, camera.scale * factor))
  const ratio = camera.scale / scale
  return keepInside(
    {
      scale,
      longitude: longitude + (camera.longitude - longitude) * ratio,
      latitude: latitude + (camera.latitude - latitude) * ratio,
    },
    size,
  )
}

/** Moves what is shown by pixels. */
export function pan(camera: Camera, size: Point, [dx, dy]: Point): Camera {
  return keepInside(
    {
      ...camera,
      longitude: camera.longitude - dx / camera.scale,
      latitude: camera.latitude + dy / camera.scale,
    },
    size,
  )
}

/** Keeps the edge of the world at the edge of the map. */
function keepInside(camera: Camera, [width, height]: Point): Camera {
  const inside = (value: number, pixels: number, limit: number) => {
    const room = Math.max(0, limit - pixels / 2 / camera.scale)
    return Math.max(-room, Math.min(room, value))
  }
  return {
    ...camera,
    longitude: inside(camera.longitude, width, 180),
    latitude: inside(camera.latitude, height, 90),
  }
}

/** Returns the part of the world that is visible. */
export function visibleBox(camera: Camera, size: Point): Box {
  const [west, north] = toDegrees(camera, size, [0, 0])
  const [east, south] = toDegrees(camera, size, size)
  return intersect([west, south, east, north], WORLD)
}

/** Returns what two boxes have in common; an empty box has no width or no height. */
export function intersect(a: Box, b: Box): Box {
  const west = Math.max(a[0], b[0])
  const south = Math.max(a[1], b[1])
  return [west, south, Math.max(west, Math.min(a[2], b[2])), Math.max(south, Math.min(a[3], b[3]))]
}

/** Returns the degrees under a dragged box, rounded to what can be seen. */
export function boxBetween(camera: Camera, size: Point, from: Point, to: Point): Box {
  const [first, second] = [toDegrees(camera, size, from), toDegrees(camera, size, to)]
  const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(camera.scale)) + 1))
  const round = (value: number) => Number(value.toFixed(digits))
  const [west, south, east, north] = intersect(
    [
      Math.min(first[0], second[0]),
      Math.min(first[1], second[1]),
      Math.max(first[0], second[0]),
      Math.max(first[1], second[1]),
    ],
    WORLD,
  )
  return [round(west), round(south), round(east), round(north)]
}

export interface Grid {
  readonly box: Box
  readonly columns: number
  readonly rows: number
}

/** The largest number of cells that the service counts at once. */
const MOST_CELLS = 10_000
const MOST_COLUMNS = 512
/** Pixels of a cell, about. */
const CELL = 5
/** Cells are 1, 1.5, 2, 3, 4, 6 and so on degrees wide, or the same parts of a degree. */
const STEPS = [1, 1.5] as const
/** Grids start at multiples of this many cells, so that moving a little asks for the same grid. */
const SNAP = 8

/**
 * Returns the grid to count for what is visible, with the smallest cells that can be seen and
 * counted. They stay where they are while the map moves.
 */
export function gridOf(camera: Camera, size: Point, cell = CELL): Grid {
  const visible = visibleBox(camera, size)
  const smallest = Math.floor(Math.log2(cell / camera.scale))
  for (let power = smallest; ; power += 1) {
    for (const factor of STEPS) {
      const grid = gridWithin(visible, factor * 2 ** power)
      const { columns, rows } = grid
      if (columns * rows <= MOST_CELLS && Math.max(columns, rows) <= MOST_COLUMNS) return grid
    }
  }
}

function gridWithin([west, south, east, north]: Box, step: number): Grid {
  const snap = step * SNAP
  const down = (value: number) => Math.floor(value / snap) * snap
  const up = (value: number) => Math.ceil(value / snap) * snap
  const box = intersect([down(west), down(south), up(east), up(north)], WORLD)
  return {
    box,
    columns: Math.max(1, Math.round((box[2] - box[0]) / step)),
    rows: Math.max(1, Math.round((box[3] - box[1]) / step)),
  }
}

/** Returns the smallest box around others. */
export function boundsOfBoxes(boxes: readonly Box[]): Box {
  return boxes.reduce(([west, south, east, north], box) => [
    Math.min(west, box[0]),
    Math.min(south, box[1]),
    Math.max(east, box[2]),
    Math.max(north, box[3]),
  ])
}
