/** The objects of a view on a map. Dragging draws a box, which becomes a filter. */
import { useQuery } from '@tanstack/react-query'
import { type GeoProjection, geoEquirectangular, geoPath } from 'd3-geo'
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { FacetOf } from '../facets/facet-query.ts'
import { useSession } from '../shell/session.tsx'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import type { SetView } from '../view/use-view.ts'
import type { Box } from '../view/view-state.ts'
import { type GeoCell, geoCellsQuery, WORLD } from './geo-cells.ts'
import styles from './map.module.css'
import { loadLand } from './world.ts'

export interface MapViewProps {
  readonly of: FacetOf
  readonly property: string
  readonly setView: SetView
}

type Point = readonly [x: number, y: number]

/** A box with shorter sides is a press, not a box. */
const SMALLEST_BOX = 6

export function MapView({ of, property, setView }: MapViewProps) {
  const { send } = useSession()
  const frame = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState<Point>([0, 0])
  const [drag, setDrag] = useState<readonly [Point, Point]>()
  const { data: land } = useQuery({ queryKey: ['land'], queryFn: loadLand, staleTime: Infinity })
  const { data: cells, error } = useQuery(geoCellsQuery(send, of, property))
  const { box } = of.view
  const projection = useMemo(() => projectionOf(box ?? WORLD, size), [box, size])

  useEffect(() => {
    if (frame.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize([entry.contentRect.width, entry.contentRect.height])
    })
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (context && size[0] > 0) draw(context, size, projection, land, cells ?? [])
  }, [size, projection, land, cells])

  const end = () => {
    setDrag(undefined)
    const chosen = drag && boxOf(drag, projection)
    if (chosen !== undefined) setView({ box: chosen })
  }
  const total = (cells ?? []).reduce((sum, { count }) => sum + count, 0)
  return (
    <div ref={frame} className={styles.frame}>
      <canvas
        ref={canvas}
        className={styles.canvas}
        role="img"
        aria-label={`Map of ${formatCount(total)} objects. Drag to choose a box.`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDrag([pointOf(event), pointOf(event)])
        }}
        onPointerMove={(event) => drag && setDrag([drag[0], pointOf(event)])}
        onPointerUp={end}
      />
      {drag !== undefined && <DraggedBox drag={drag} />}
      <div className={styles.notes}>
        {error !== null && <p role="alert">{error.message}</p>}
        {cells !== undefined && <p className="label">{formatCount(total)} objects on the map</p>}
        {box !== undefined && (
          <Button onClick={() => setView({ box: undefined })}>Show the whole world</Button>
        )}
      </div>
    </div>
  )
}

function DraggedBox({ drag: [[x1, y1], [x2, y2]] }: { readonly drag: readonly [Point, Point] }) {
  const style = {
    left: Math.min(x1, x2),
    top: Math.min(y1, y2),
    width: Math.abs(x2 - x1),
    height: Math.abs(y2 - y1),
  }
  return <div className={styles.box} style={style} aria-hidden="true" />
}

function pointOf({ nativeEvent }: PointerEvent): Point {
  return [nativeEvent.offsetX, nativeEvent.offsetY]
}

/** Fits a box of degrees into the canvas. */
function projectionOf([west, south, east, north]: Box, size: Point): GeoProjection {
  const corners = {
    type: 'MultiPoint',
    coordinates: [
      [west, south],
      [east, north],
    ],
  } as const
  return geoEquirectangular().fitSize([...size], corners as never)
}

/** Returns the degrees under a dragged box; undefined if it is too small to be meant. */
function boxOf([from, to]: readonly [Point, Point], projection: GeoProjection): Box | undefined {
  const isSmall = to.some((value, axis) => Math.abs(value - (from[axis] ?? 0)) < SMALLEST_BOX)
  const [first, second] = [from, to].map((point) => projection.invert?.([...point]))
  if (isSmall || !first || !second) return undefined
  const [west, east] = [first[0], second[0]].toSorted((a, b) => a - b)
  const [south, north] = [first[1], second[1]].toSorted((a, b) => a - b)
  const rounded = [west, south, east, north].map((value) => Number((value ?? 0).toFixed(4)))
  return rounded as unknown as Box
}

function draw(
  context: CanvasRenderingContext2D,
  [width, height]: Point,
  projection: GeoProjection,
  land: Parameters<ReturnType<typeof geoPath>>[0] | undefined,
  cells: readonly GeoCell[],
): void {
  const { canvas } = context
  const scale = devicePixelRatio
  canvas.width = width * scale
  canvas.height = height * scale
  context.scale(scale, scale)
  const style = getComputedStyle(canvas)
  if (land !== undefined) {
    context.beginPath()
    geoPath(projection, context)(land)
    context.fillStyle = style.getPropertyValue('--raised')
    context.fill()
    context.strokeStyle = style.getPropertyValue('--line')
    context.stroke()
  }
  context.fillStyle = style.getPropertyValue('--accent')
  context.globalAlpha = 0.7
  for (const { longitude, latitude, count } of cells) {
    const point = projection([longitude, latitude])
    if (point === null) continue
    context.beginPath()
    context.arc(point[0], point[1], 1 + Math.log10(count) * 1.6, 0, 2 * Math.PI)
    context.fill()
  }
}
