/** The objects of a view on a map. A box that is drawn on it becomes a filter. */
import { type RefObject, useEffect, useRef, useState } from 'react'
import { keyText, type ObjectRecord } from '../api/ontology.ts'
import { useSize } from '../ui/hooks.ts'
import type { TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import {
  type Camera,
  fitBox,
  type Point,
  toDegrees,
  toScreen,
  visibleBox,
  WORLD,
} from './camera.ts'
import { drawMap, type MapContent } from './draw-map.ts'
import { BoxOutline, MapControls, MapNotes, PointName } from './map-overlay.tsx'
import { type DragMode, useMapInput } from './use-map-input.ts'
import { useMapObjects } from './use-map-objects.ts'

export interface MapViewProps {
  readonly of: TypeView
  readonly setView: SetView
  /** Rows come first: nothing is counted before their version is known. */
  readonly canCount: boolean
}

/** A pointer this near to a position means it. */
const NEAR = 8

export function MapView(props: MapViewProps) {
  const [frame, size] = useSize()
  return (
    <div
      ref={frame}
      className="relative flex-1 min-w-0 min-h-0 bg-(--water) overflow-hidden [--water:light-dark(#e6edf4,#14171c)] [--land:light-dark(#fdfdfc,#262930)] [--coast:light-dark(#b9c2cb,#454a53)] [--border:light-dark(#dde2e7,#363a42)]"
    >
      {size[0] > 0 && size[1] > 0 && <SizedMap {...props} size={size} />}
    </div>
  )
}

function SizedMap(props: MapViewProps & { readonly size: Point }) {
  const { of, setView, size } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const { box, peek } = of.view
  const [camera, setCamera] = useState<Camera>(() => fitBox(box ?? WORLD, size))
  const [mode, setMode] = useState<DragMode>('box')
  const [hovered, setHovered] = useState<ObjectRecord>()
  const objects = useMapObjects(props, camera)
  const { world, cities, cells, points, shapes, palette, counted } = objects

  const recordAt = (at: Point): ObjectRecord | undefined =>
    points.find(({ drawn }) => distance(toScreen(camera, size, drawn), at) <= NEAR)?.record ??
    shapes.findLast(({ drawn }) => isInside(canvas.current, drawn, toDegrees(camera, size, at)))
      ?.record
  const { drag, handlers } = useMapInput({
    canvas,
    camera,
    size,
    mode,
    setCamera,
    onBox: (chosen) => setView({ box: chosen }),
    onPress: (at) => {
      const record = recordAt(at)
      if (record !== undefined) setView({ peek: keyText(record.key) }, { replace: true })
    },
    onHover: (at) => setHovered(recordAt(at)),
  })

  useDrawing(canvas, { camera, size, world, cities, cells, points, shapes, palette })
  const named = points.find(({ record }) => record === hovered || keyText(record.key) === peek)
  return (
    <>
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: keys move the map */}
      <canvas
        ref={canvas}
        className={`absolute inset-0 w-full h-full touch-none focus-visible:-outline-offset-2 ${mode === 'box' ? 'cursor-crosshair' : 'cursor-grab'}`}
        role="application"
        aria-roledescription="map"
        aria-label="Map. Arrow keys move it, plus and minus zoom, 0 shows the whole world."
        tabIndex={0}
        {...handlers}
      />
      {box !== undefined && <BoxOutline kind="filter" camera={camera} size={size} box={box} />}
      {drag !== undefined && <BoxOutline kind="box" camera={camera} size={size} box={drag} />}
      {named !== undefined && (
        <PointName at={toScreen(camera, size, named.drawn)} record={named.record} />
      )}
      <MapControls {...{ camera, size, setCamera, mode, setMode, of, setView }} />
      <MapNotes
        counted={counted}
        legend={objects.legend}
        records={[...points, ...shapes].map(({ record }) => record)}
        isBoxed={box !== undefined}
        onWorld={() => {
          setCamera(fitBox(WORLD, size))
          setView({ box: undefined })
        }}
        onVisible={() => setView({ box: roundBox(visibleBox(camera, size)) })}
        onPeek={(key) => setView({ peek: key }, { replace: true })}
      />
    </>
  )
}

/** Draws a map on a canvas, and again when the theme changes. */
function useDrawing(canvas: RefObject<HTMLCanvasElement | null>, content: MapContent): void {
  const { camera, size, world, cities, cells, points, shapes, palette } = content
  useEffect(() => {
    const draw = () => {
      const context = canvas.current?.getContext('2d')
      const drawn = { camera, size, world, cities, cells, points, shapes, palette }
      if (context) drawMap(context, drawn)
    }
    const frame = requestAnimationFrame(draw)
    const theme = matchMedia('(prefers-color-scheme: dark)')
    const observer = new MutationObserver(draw)
    theme.addEventListener('change', draw)
    observer.observe(document.documentElement, { attributeFilter: ['style'] })
    return () => {
      cancelAnimationFrame(frame)
      theme.removeEventListener('change', draw)
      observer.disconnect()
    }
  }, [canvas, camera, size, world, cities, cells, points, shapes, palette])
}

function roundBox([west, south, east, north]: ReturnType<typeof visibleBox>) {
  const round = (value: number) => Number(value.toFixed(4))
  return [round(west), round(south), round(east), round(north)] as const
}

function distance([x1, y1]: Point, [x2, y2]: Point): number {
  return Math.hypot(x2 - x1, y2 - y1)
}

/** True if a position is inside a shape; the canvas tells. */
function isInside(canvas: HTMLCanvasElement | null, shape: Path2D, [x, y]: Point): boolean {
  const context = canvas?.getContext('2d')
  if (!context) return false
  context.setTransform(1, 0, 0, 1, 0, 0)
  return context.isPointInPath(shape, x, -y, 'evenodd')
}
