/** Draws a map on a canvas: the land, then counts or single positions. */
import { type GeoPermissibleObjects, geoEquirectangular, geoPath } from 'd3-geo'
import { type Camera, type Point, toScreen } from './camera.ts'
import type { GeoCell } from './geo-cells.ts'
import { CITY_GAP, type Label, placeLabels } from './labels.ts'
import type { City, Country, World } from './world.ts'

export interface MapContent {
  readonly camera: Camera
  readonly size: Point
  readonly world: WorldPaths | undefined
  readonly cells: readonly GeoCell[]
  readonly points: readonly Coloured<Point>[]
  readonly shapes: readonly Coloured<Path2D>[]
  readonly cities: readonly City[]
  /** Colours as style sheets write them. */
  readonly palette: readonly string[]
}

export interface Coloured<Drawn> {
  readonly drawn: Drawn
  /** Its place in the palette. */
  readonly colour: number
}

/** The outlines as paths in degrees, made once; drawing them is then a matter of scale. */
export interface WorldPaths {
  readonly land: Path2D
  readonly borders: Path2D
  readonly countries: readonly Country[]
}

export function worldPaths({ land, borders, countries }: World): WorldPaths {
  // One unit is one degree. The projection cuts outlines where the world ends.
  const projection = geoEquirectangular()
    .scale(180 / Math.PI)
    .translate([0, 0])
    .precision(0)
  const pathOf = (shape: GeoPermissibleObjects) => new Path2D(geoPath(projection)(shape) ?? '')
  return { land: pathOf(land), borders: pathOf(borders), countries }
}

/** The width from which on the circles of a hundred objects leave a gap between them. */
const WIDE_CELL = 9

/** Returns the radius of a cell with this many objects, in pixels as its width. */
export function cellRadius(count: number, width: number): number {
  return (2 + 1.2 * Math.log10(Math.max(1, count))) * Math.min(1, width / WIDE_CELL)
}

const POINT_RADIUS = 4

export function drawMap(context: CanvasRenderingContext2D, content: MapContent): void {
  const { size, world } = content
  const [width, height] = size
  const { canvas } = context
  const pixels = devicePixelRatio
  if (canvas.width !== Math.round(width * pixels)) canvas.width = Math.round(width * pixels)
  if (canvas.height !== Math.round(height * pixels)) canvas.height = Math.round(height * pixels)
  const colour = colourReader(canvas)
  context.setTransform(pixels, 0, 0, pixels, 0, 0)
  context.fillStyle = colour('var(--water)')
  context.fillRect(0, 0, width, height)
  const inPixels = () => context.setTransform(pixels, 0, 0, pixels, 0, 0)
  if (world !== undefined) drawWorld(context, world, content, colour)
  inPixels()
  drawShapes(context, content, colour)
  inPixels()
  drawObjects(context, content, colour)
  drawNames(context, content, colour)
}

type ReadColour = (style: string) => string

function drawShapes(
  context: CanvasRenderingContext2D,
  { camera, size, shapes, palette }: MapContent,
  colour: ReadColour,
): void {
  toDegreesOf(context, camera, size)
  for (const { drawn, colour: place } of shapes) {
    context.fillStyle = context.strokeStyle = colour(palette[place] ?? '')
    context.globalAlpha = 0.35
    context.fill(drawn, 'evenodd')
    context.globalAlpha = 1
    context.lineWidth = 1.2 / camera.scale
    context.stroke(drawn)
  }
}

/** Draws counts, or single objects if there are any. */
function drawObjects(
  context: CanvasRenderingContext2D,
  { camera, size, cells, points, palette }: MapContent,
  colour: ReadColour,
): void {
  const isSingle = points.length > 0
  context.globalAlpha = isSingle ? 1 : 0.75
  for (const [place, style] of palette.entries()) {
    context.fillStyle = colour(style)
    context.beginPath()
    for (const { drawn } of points.filter((each) => each.colour === place)) {
      addCircle(context, toScreen(camera, size, drawn), POINT_RADIUS)
    }
    for (const cell of isSingle ? [] : cells.filter((each) => each.colour === place)) {
      const at = toScreen(camera, size, [cell.longitude, cell.latitude])
      addCircle(context, at, cellRadius(cell.count, cell.width * camera.scale))
    }
    context.fill()
    if (!isSingle) continue
    context.strokeStyle = colour('var(--color-panel)')
    context.lineWidth = 1
    context.stroke()
  }
  context.globalAlpha = 1
}

const FONTS: Readonly<Record<Label['kind'], string>> = { country: '600 12px', city: '11px' }

function drawNames(
  context: CanvasRenderingContext2D,
  { camera, size, world, cities }: MapContent,
  colour: ReadColour,
): void {
  const { fontFamily } = getComputedStyle(context.canvas)
  const setFont = (kind: Label['kind']) => {
    context.font = `${FONTS[kind]} ${fontFamily}`
  }
  const named = { countries: world?.countries ?? [], cities }
  const labels = placeLabels(camera, size, named, (text, kind) => {
    setFont(kind)
    return context.measureText(text).width
  })
  context.lineJoin = 'round'
  context.lineWidth = 3
  context.strokeStyle = colour('var(--land)')
  for (const { text, kind, at } of labels) {
    const isCity = kind === 'city'
    setFont(kind)
    context.textAlign = isCity ? 'left' : 'center'
    const [x, y] = isCity ? [at[0] + CITY_GAP, at[1] + 4] : at
    context.fillStyle = colour(isCity ? 'var(--color-ink)' : 'var(--color-muted)')
    context.strokeText(text, x, y)
    context.fillText(text, x, y)
    if (!isCity) continue
    context.beginPath()
    addCircle(context, at, 1.8)
    context.stroke()
    context.fill()
  }
}

function drawWorld(
  context: CanvasRenderingContext2D,
  { land, borders }: WorldPaths,
  { camera, size }: MapContent,
  colour: ReadColour,
): void {
  const { scale } = camera
  toDegreesOf(context, camera, size)
  context.fillStyle = colour('var(--land)')
  context.fill(land)
  context.strokeStyle = colour('var(--coast)')
  context.lineWidth = 0.9 / scale
  context.stroke(land)
  context.strokeStyle = colour('var(--border)')
  context.lineWidth = 0.7 / scale
  context.stroke(borders)
}

/** Makes one unit a degree. */
function toDegreesOf(
  context: CanvasRenderingContext2D,
  { scale, longitude, latitude }: Camera,
  [width, height]: Point,
): void {
  context.translate(width / 2 - longitude * scale, height / 2 + latitude * scale)
  context.scale(scale, scale)
}

/** A circle of its own: without the move, a line would lead to it. */
function addCircle(context: CanvasRenderingContext2D, [x, y]: Point, radius: number): void {
  context.moveTo(x + radius, y)
  context.arc(x, y, radius, 0, 2 * Math.PI)
}

/** Colours in variables may depend on the theme: only a used property has the final value. */
function colourReader(canvas: HTMLCanvasElement): ReadColour {
  return (style) => {
    canvas.style.color = style
    const { color } = getComputedStyle(canvas)
    canvas.style.color = ''
    return color
  }
}
