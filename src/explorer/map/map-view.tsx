/** The objects of a view on a map. A box that is drawn on it becomes a filter. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { keyText, type ObjectRecord, positionOf } from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { readRecords } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { useSettled } from '../ui/hooks.ts'
import { conditionsOf, type TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import type { Box } from '../view/view-state.ts'
import {
  type Camera,
  fitBox,
  gridOf,
  intersect,
  type Point,
  toScreen,
  visibleBox,
  WORLD,
} from './camera.ts'
import { drawMap, worldPaths } from './draw-map.ts'
import { type GeoCell, geoCellsQuery } from './geo-cells.ts'
import { BoxOutline, MapControls, MapNotes, PointName } from './map-overlay.tsx'
import { type DragMode, useMapInput } from './use-map-input.ts'
import { loadFineWorld, loadWorld, OUTLINES } from './world.ts'

export interface MapViewProps {
  readonly of: TypeView
  readonly property: string
  readonly setView: SetView
  /** Rows come first: nothing is counted before their version is known. */
  readonly canCount: boolean
}

/** Pixels per degree from which coarse outlines show their corners. */
const FINE_FROM = 12
/** A pointer this near to a position means it. */
const NEAR = 8
/** The same array each time, so that nothing is drawn again because of it. */
const NO_CELLS: readonly GeoCell[] = []

export function MapView(props: MapViewProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Point>()
  useEffect(() => {
    if (frame.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize([entry.contentRect.width, entry.contentRect.height])
    })
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={frame}
      className="relative flex-1 min-w-0 min-h-0 bg-(--water) overflow-hidden [--water:light-dark(#e6edf4,#14171c)] [--land:light-dark(#fdfdfc,#262930)] [--coast:light-dark(#b9c2cb,#454a53)] [--border:light-dark(#dde2e7,#363a42)]"
    >
      {size !== undefined && size[0] > 0 && size[1] > 0 && <SizedMap {...props} size={size} />}
    </div>
  )
}

function SizedMap(props: MapViewProps & { readonly size: Point }) {
  const { of, property, setView, canCount, size } = props
  const { service } = useSession()
  const canvas = useRef<HTMLCanvasElement>(null)
  const { box, peek } = of.view
  const [camera, setCamera] = useState<Camera>(() => fitBox(box ?? WORLD, size))
  const [mode, setMode] = useState<DragMode>('box')
  const [hovered, setHovered] = useState<ObjectRecord>()
  const { data: coarse } = useQuery({
    queryKey: ['world-paths'],
    queryFn: async () => worldPaths(await loadWorld()),
    ...OUTLINES,
  })
  const isFine = camera.scale >= FINE_FROM
  const { data: fine } = useQuery({
    queryKey: ['fine-world-paths'],
    queryFn: async () => worldPaths(await loadFineWorld()),
    enabled: isFine,
    ...OUTLINES,
  })
  const world = (isFine && fine) || coarse
  // Requests follow the camera when it rests, not with every frame.
  const settled = useSettled(camera)
  const grid = useMemo(() => gridOf(settled, size), [settled, size])
  const counted = useQuery({
    ...geoCellsQuery(service, of, property, grid),
    enabled: canCount,
    placeholderData: keepPreviousData,
  })
  const { data: cells = NO_CELLS, error, isPending } = counted
  const inView = useMemo(() => countVisible(cells, settled, size), [cells, settled, size])
  // Cells can be counted as of a version, but single objects are read as they are now.
  const isFew = inView > 0 && inView <= MOST_POINTS && !of.view.isSnapshot
  const { data: records = [] } = useQuery({
    ...pointsQuery(service, of, grid.box),
    enabled: isFew,
    placeholderData: keepPreviousData,
  })
  const points = useMemo(
    () =>
      (isFew ? records : []).flatMap((record) => {
        const position = positionOf(record.properties[property])
        return position === undefined ? [] : [{ record, position }]
      }),
    [isFew, records, property],
  )

  const recordAt = (at: Point): ObjectRecord | undefined =>
    points.find(({ position }) => distance(toScreen(camera, size, position), at) <= NEAR)?.record
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

  useEffect(() => {
    const draw = () => {
      const context = canvas.current?.getContext('2d')
      const positions = points.map(({ position }) => position)
      if (context) drawMap(context, { camera, size, world, cells, points: positions })
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
  }, [camera, size, world, cells, points])

  const total = cells.reduce((sum, { count }) => sum + count, 0)
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
        <PointName at={toScreen(camera, size, named.position)} record={named.record} />
      )}
      <MapControls {...{ camera, size, setCamera, mode, setMode }} />
      <MapNotes
        error={error}
        total={isPending ? undefined : total}
        records={points.map(({ record }) => record)}
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

function countVisible(cells: readonly GeoCell[], camera: Camera, size: Point): number {
  const [west, south, east, north] = gridOf(camera, size).box
  return cells.reduce(
    (sum, { longitude, latitude, count }) =>
      longitude >= west && longitude <= east && latitude >= south && latitude <= north
        ? sum + count
        : sum,
    0,
  )
}

function roundBox([west, south, east, north]: ReturnType<typeof visibleBox>) {
  const round = (value: number) => Number(value.toFixed(4))
  return [round(west), round(south), round(east), round(north)] as const
}

function distance([x1, y1]: Point, [x2, y2]: Point): number {
  return Math.hypot(x2 - x1, y2 - y1)
}

/** Few enough objects to show each of them. */
export const MOST_POINTS = 400

/** Reads the objects in a box, which must be few. */
export function pointsQuery(service: Service, of: TypeView, area: Box) {
  const { filters, text, box } = of.view
  const within = box === undefined ? area : intersect(box, area)
  return queryOptions({
    queryKey: ['points', of.objectType.rid, filters, text, within],
    queryFn: ({ signal }): Promise<readonly ObjectRecord[]> => {
      const conditions = conditionsOf({ filters, text, box: within }, of, 'v2')
      return readRecords(service, of, { conditions, order: [] }, { pageSize: MOST_POINTS, signal })
    },
  })
}
