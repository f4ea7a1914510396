/** Draws a map on a canvas: the land, then counts or single positions. */
import { type GeoPermissibleObjects, geoEquirectangular, geoPath } from 'd3-geo'
import { type Camera, type Point, toScreen } from './camera.ts'
import type { GeoCell } from './geo-cells.ts'
import type { World } from './world.ts'

export interface MapContent {
  readonly camera: Camera
  readonly size: Point
  readonly world: WorldPaths | undefined
  readonly cells: readonly GeoCell[]
  readonly points: readonly Point[]
}

/** The outlines as paths in degrees, made once; drawing them is then a matter of scale. */
export interface WorldPaths {
  readonly land: Path2D
  readonly borders: Path2D
}

export function worldPaths({ land, borders }: World): WorldPaths {
  // One unit is one degree. The projection cuts outlines where the world ends.
  const projection = geoEquirectangular()
    .scale(180 / Math.PI)
    .translate([0, 0])
    .precision(0)
  const pathOf = (shape: GeoPermissibleObjects) => new Path2D(geoPath(projection)(shape) ?? '')
  return { land: pathOf(land), borders: pathOf(borders) }
}

/** Returns the radius of a cell with this many objects. */
function cellRadius(count: number): number {
  return 1.4 + 1.3 * Math.log10(Math.max(1, count))
}

const POINT_RADIUS = 4

export function drawMap(context: CanvasRenderingContext2D, content: MapContent): void {
  const { camera, size, world, cells, points } = content
  const [width, height] = size
  const { canvas } = context
  const pixels = devicePixelRatio
  if (canvas.width !== Math.round(width * pixels)) canvas.width = Math.round(width * pixels)
  if (canvas.height !== Math.round(height * pixels)) canvas.height = Math.round(height * pixels)
  const colour = colourReader(canvas)
  context.setTransform(pixels, 0, 0, pixels, 0, 0)
  context.fillStyle = colour('--water')
  context.fillRect(0, 0, width, height)
  if (world !== undefined) drawWorld(context, world, content, colour)
  context.setTransform(pixels, 0, 0, pixels, 0, 0)
  context.fillStyle = colour('--color-accent')
  context.globalAlpha = points.length > 0 ? 1 : 0.75
  context.beginPath()
  if (points.length > 0) {
    for (const point of points) addCircle(context, toScreen(camera, size, point), POINT_RADIUS)
  } else {
    for (const { longitude, latitude, count } of cells) {
      addCircle(context, toScreen(camera, size, [longitude, latitude]), cellRadius(count))
    }
  }
  context.fill()
  context.globalAlpha = 1
  if (points.length > 0) {
    context.strokeStyle = colour('--color-panel')
    context.lineWidth = 1
    context.stroke()
  }
}

function drawWorld(
  context: CanvasRenderingContext2D,
  { land, borders }: WorldPaths,
  { camera, size: [width, height] }: MapContent,
  colour: (name: string) => string,
): void {
  const { scale, longitude, latitude } = camera
  context.translate(width / 2 - longitude * scale, height / 2 + latitude * scale)
  context.scale(scale, scale)
  context.fillStyle = colour('--land')
  context.fill(land)
  context.strokeStyle = colour('--coast')
  context.lineWidth = 0.9 / scale
  context.stroke(land)
  context.strokeStyle = colour('--border')
  context.lineWidth = 0.7 / scale
  context.stroke(borders)
}

/** A circle of its own: without the move, a line would lead to it. */
function addCircle(context: CanvasRenderingContext2D, [x, y]: Point, radius: number): void {
  context.moveTo(x + radius, y)
  context.arc(x, y, radius, 0, 2 * Math.PI)
}

/** Colours in variables may depend on the theme: only a used property has the final value. */
function colourReader(canvas: HTMLCanvasElement): (name: string) => string {
  return (name) => {
    canvas.style.color = `var(${name})`
    const { color } = getComputedStyle(canvas)
    canvas.style.color = ''
    return color
  }
}
