/** What a map shows: outlines and names, counts by place, single objects, and their colours. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type ObjectRecord, positionOf } from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { useValueTitles } from '../queries/linked-titles.ts'
import { readRecords } from '../queries/object-queries.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { useSession } from '../session/session.tsx'
import { formatNumber } from '../ui/format-value.ts'
import { useSettled } from '../ui/hooks.ts'
import { conditionsOf } from '../view/compile-filters.ts'
import { nameOfPath } from '../view/paths.ts'
import { pointProperty, shapeProperty, type TypeView } from '../view/type-view.ts'
import type { Box } from '../view/view-state.ts'
import { type Camera, gridOf, intersect, type Point } from './camera.ts'
import {
  type ColourScale,
  colourable,
  colourOfRecord,
  colourScaleQuery,
  paletteOf,
} from './colours.ts'
import { type Coloured, worldPaths } from './draw-map.ts'
import { type GeoCell, geoCellsQuery } from './geo-cells.ts'
import { shapePath } from './shapes.ts'
import { type City, loadCities, OUTLINES, useWorld } from './world.ts'

/** The same array each time, so that nothing is drawn again because of it. */
const NO_CELLS: readonly GeoCell[] = []
const NO_CITIES: readonly City[] = []
const NO_RECORDS: readonly ObjectRecord[] = []

export interface Drawn<Kind> extends Coloured<Kind> {
  readonly record: ObjectRecord
}

export interface Counted {
  readonly error: Error | null
  /** Objects on the part of the map that was counted; undefined until they are counted. */
  readonly total: number | undefined
  /** True if there are more shapes than the map draws. */
  readonly isCut: boolean
}

export interface LegendPart {
  readonly label: string
  /** As a style sheet writes it. */
  readonly colour: string
}

interface MapObjectsProps {
  readonly of: TypeView
  readonly size: Point
  readonly canCount: boolean
}

export function useMapObjects({ of, size, canCount }: MapObjectsProps, camera: Camera) {
  const { service } = useSession()
  const outlines = useOutlines(camera.scale)
  const { scale, palette, legend } = useColours(of, canCount)
  const point = pointProperty(of.objectType)
  const shape = shapeProperty(of.objectType)
  // Requests follow the camera when it rests, not with every frame.
  const settled = useSettled(camera)
  const grid = useMemo(() => gridOf(settled, size), [settled, size])
  const isScaled = of.view.colour === undefined || scale !== undefined
  const counted = useQuery({
    ...geoCellsQuery(service, of, point ?? '', grid, scale),
    enabled: canCount && point !== undefined && isScaled,
    placeholderData: keepPreviousData,
  })
  const { data: cells = NO_CELLS } = counted
  const inView = useMemo(() => countWithin(cells, grid.box), [cells, grid])
  // Cells can be counted as of a version, but single objects are read as they are now.
  const isFew = inView > 0 && inView <= MOST_POINTS && !of.view.isSnapshot
  const found = useQuery({
    ...recordsQuery(service, of, grid.box),
    enabled: (point === undefined ? canCount : isFew) || (shape !== undefined && canCount),
    placeholderData: keepPreviousData,
  })
  const records = found.data ?? NO_RECORDS
  const points = useMemo(
    () =>
      (isFew && point !== undefined ? records : []).flatMap((record): Drawn<Point>[] => {
        const drawn = positionOf(record.properties[point ?? ''])
        return drawn === undefined ? [] : [{ record, drawn, colour: colourOfRecord(scale, record) }]
      }),
    [isFew, records, point, scale],
  )
  const shapes = useMemo(
    () =>
      (shape === undefined ? [] : records).flatMap((record): Drawn<Path2D>[] => {
        const drawn = shapePath(record.properties[shape ?? ''])
        return drawn === undefined ? [] : [{ record, drawn, colour: colourOfRecord(scale, record) }]
      }),
    [records, shape, scale],
  )
  const isPending = point === undefined ? found.isPending : counted.isPending
  const total = point === undefined ? records.length : inView
  const isCut = shape !== undefined && records.length === MOST_POINTS
  const error = counted.error ?? found.error
  const state: Counted = { error, total: isPending ? undefined : total, isCut }
  return { ...outlines, cells, points, shapes, palette, legend, counted: state }
}

function useOutlines(scale: number) {
  const outlines = useWorld(scale)
  const world = useMemo(() => outlines && worldPaths(outlines), [outlines])
  const { data: cities = NO_CITIES } = useQuery({
    queryKey: ['cities'],
    queryFn: loadCities,
    ...OUTLINES,
  })
  return { world, cities }
}

const NO_KEYS: readonly string[] = []

/** The colours of the property that the view names, with their meaning. */
function useColours(of: TypeView, canCount: boolean) {
  const { service } = useSession()
  const { objectType, view } = of
  const path = colourable(objectType).find((each) => each === view.colour)
  const { data } = useQuery({
    ...colourScaleQuery(service, of, path ?? ''),
    enabled: canCount && path !== undefined,
    placeholderData: keepPreviousData,
  })
  const scale = path === undefined || data?.path !== path ? undefined : data
  const styleOf = useNumberStyles(of, { canRead: canCount })
  const keys = scale?.kind === 'values' ? scale.values : NO_KEYS
  const titleOf = useValueTitles(of, path ?? '', keys)
  const palette = useMemo(() => paletteOf(scale), [scale])
  const legend = useMemo(() => {
    if (scale === undefined) return undefined
    const labels = labelsOf(scale, titleOf, (value) => formatNumber(value, styleOf(scale.path)))
    const rest = scale.kind === 'numbers' ? 'missing' : 'others or missing'
    const parts = palette.map((colour, index): LegendPart => {
      return { colour, label: labels[index] ?? rest }
    })
    const name = nameOfPath(objectType, scale.path)
    const title = scale.kind === 'numbers' ? `${name}, average` : `${name}, most frequent`
    return { title, parts }
  }, [scale, palette, titleOf, styleOf, objectType])
  return { scale, palette, legend }
}

function labelsOf(
  scale: ColourScale,
  titleOf: (value: string) => string | undefined,
  format: (value: number) => string,
): readonly string[] {
  if (scale.kind === 'values') return scale.values.map((value) => titleOf(value) ?? value)
  const { steps } = scale
  return [`< ${format(steps[0] ?? 0)}`, ...steps.map((step) => `≥ ${format(step)}`)]
}

function countWithin(cells: readonly GeoCell[], [west, south, east, north]: Box): number {
  return cells.reduce(
    (sum, { longitude, latitude, count }) =>
      longitude >= west && longitude <= east && latitude >= south && latitude <= north
        ? sum + count
        : sum,
    0,
  )
}

/** Few enough objects to show each of them. */
const MOST_POINTS = 400

/** Reads the objects in a box, as far as the map shows each of them. */
function recordsQuery(service: Service, of: TypeView, area: Box) {
  const { filters, text, box, unread } = of.view
  const within = box === undefined ? area : intersect(box, area)
  return queryOptions({
    queryKey: ['points', of.objectType.rid, filters, text, within],
    queryFn: ({ signal }): Promise<readonly ObjectRecord[]> => {
      const conditions = conditionsOf({ filters, text, box: within, unread }, of)
      return readRecords(service, of, { conditions, order: [] }, { pageSize: MOST_POINTS, signal })
    },
  })
}
