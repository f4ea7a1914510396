/** A measure by place: cells on a map, the stronger the colour the larger the value. */
import { useQuery } from '@tanstack/react-query'
import { bisectRight } from 'd3-array'
import { geoEquirectangular, geoPath } from 'd3-geo'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { boundsOfBoxes, type Camera, fitBox, type Point, toScreen } from '../map/camera.ts'
import { FINE_FROM, loadFineWorld, loadWorld, OUTLINES } from '../map/world.ts'
import { useWidth } from '../ui/hooks.ts'
import type { Box } from '../view/view-state.ts'
import { type Pointed, Tip } from './chart-parts.tsx'
import { type DrawnChart, type Line, lengthOf } from './drawn-chart.ts'
import type { FormProps } from './forms.ts'

const HEIGHT = 440
/** The same number of cells has each strength. */
const STRENGTHS = [0.18, 0.36, 0.55, 0.77, 1]
/** Degrees around the cells. */
const MARGIN = 0.04

type Cell = Line & { readonly box: Box }

export function MapChart(props: FormProps) {
  const [frame, width] = useWidth()
  const cells = props.drawn.rows.filter((row): row is Cell => row.box !== undefined)
  if (cells.length === 0) return null
  return (
    <div ref={frame} className="grid gap-3 min-w-0">
      {width > 0 && <Cells {...props} cells={cells} width={width} />}
    </div>
  )
}

function Cells({
  drawn,
  onFilter,
  cells,
  width,
}: FormProps & { readonly cells: readonly Cell[]; readonly width: number }) {
  const svg = useRef<SVGSVGElement>(null)
  const [active, setActive] = useState(0)
  const [pointed, setPointed] = useState<Pointed>()
  const size: Point = [width, HEIGHT]
  const camera = fitBox(enlarged(boundsOfBoxes(cells.map(({ box }) => box))), size)
  const [column] = drawn.columns
  const shownAt = (row: Line) => drawn.valueAt(row.place, column?.place ?? 0)
  const values = cells.flatMap((row) => lengthOf(shownAt(row)) ?? []).toSorted((a, b) => a - b)
  const steps = stepsOf(values)
  const corner = ([west, , , north]: Box) => toScreen(camera, size, [west, north])
  const point = (row: Cell) => {
    const [x, y] = corner(row.box)
    setPointed({ row, x, y: y + 16 })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = cells[active]
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key]
    if (step !== undefined) {
      const next = Math.min(cells.length - 1, Math.max(0, active + step))
      svg.current?.querySelector<SVGElement>(`[data-cell="${next}"]`)?.focus()
    } else if ((event.key === 'Enter' || event.key === ' ') && row) onFilter?.([], row.box)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <Steps {...{ drawn, steps, values }} />
      <div className="relative" onPointerLeave={() => setPointed(undefined)}>
        {/* biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset */}
        <svg
          ref={svg}
          width={width}
          height={HEIGHT}
          className="block overflow-hidden rounded-md"
          role="group"
          aria-label={drawn.title}
          onKeyDown={onKeyDown}
        >
          <Outlines camera={camera} size={size} />
          {cells.map((row, index) => {
            const value = shownAt(row)
            const length = lengthOf(value)
            const [x, y] = corner(row.box)
            const [west, south, east, north] = row.box
            return (
              // biome-ignore lint/a11y/useSemanticElements: SVG has no button element
              <rect
                key={row.place}
                role="button"
                data-cell={index}
                tabIndex={index === active ? 0 : -1}
                aria-label={`${row.label}: ${drawn.format(value)}`}
                x={x}
                y={y}
                width={(east - west) * camera.scale}
                height={(north - south) * camera.scale}
                fillOpacity={length === undefined ? 0 : STRENGTHS[bisectRight(steps, length)]}
                className={`fill-accent hover:stroke-ink focus-visible:outline-none focus-visible:stroke-ink focus-visible:stroke-2 ${onFilter ? 'cursor-pointer' : ''}`}
                onFocus={() => {
                  setActive(index)
                  point(row)
                }}
                onPointerEnter={() => point(row)}
                onClick={() => onFilter?.([], row.box)}
              />
            )
          })}
        </svg>
        <Tip drawn={drawn} pointed={pointed} width={width} />
      </div>
    </>
  )
}

/** Returns the values at which the colour becomes stronger. */
function stepsOf(values: readonly number[]): readonly number[] {
  const steps = STRENGTHS.slice(1).map((_, index) =>
    Number(values[Math.floor((values.length * (index + 1)) / STRENGTHS.length)]),
  )
  return [...new Set(steps)].filter((step) => step > (values[0] ?? 0))
}

interface StepsProps {
  readonly drawn: DrawnChart
  readonly steps: readonly number[]
  readonly values: readonly number[]
}

/** The meaning of the colours. */
function Steps({ drawn: { format, title }, steps, values }: StepsProps) {
  const edges = [values[0] ?? 0, ...steps]
  return (
    <ul
      className="flex flex-wrap gap-x-4 gap-y-1 m-0 p-0 list-none text-sm leading-5"
      aria-label={title}
    >
      {edges.map((from, index) => (
        <li key={from} className="flex items-center gap-1.5">
          <i
            className="flex-none size-2.5 rounded-xs bg-accent"
            style={{ opacity: STRENGTHS[index] }}
          />
          <span>
            {index === edges.length - 1
              ? `${format(from)} – ${format(values.at(-1))}`
              : `from ${format(from)}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Outlines({ camera, size }: { readonly camera: Camera; readonly size: Point }) {
  const isFine = camera.scale >= FINE_FROM
  const { data: coarse } = useQuery({ queryKey: ['world'], queryFn: loadWorld, ...OUTLINES })
  const fine = useQuery({
    queryKey: ['fine world'],
    queryFn: loadFineWorld,
    enabled: isFine,
    ...OUTLINES,
  })
  const world = (isFine && fine.data) || coarse
  const [width, height] = size
  const { longitude, latitude, scale } = camera
  const paths = useMemo(() => {
    const projection = geoEquirectangular()
      .scale((scale * 180) / Math.PI)
      .translate([width / 2 - longitude * scale, height / 2 + latitude * scale])
      .precision(0)
      .clipExtent([
        [-1, -1],
        [width + 1, height + 1],
      ])
    const path = geoPath(projection).digits(1)
    return world && { land: path(world.land) ?? '', borders: path(world.borders) ?? '' }
  }, [world, width, height, longitude, latitude, scale])
  return (
    <>
      <rect width={width} height={height} className="[fill:light-dark(#eaf0f6,#15181d)]" />
      <path
        d={paths?.land ?? ''}
        className="[fill:light-dark(#fdfdfc,#282b31)] [stroke:light-dark(#c4ccd4,#3c4047)]"
      />
      <path d={paths?.borders ?? ''} className="fill-none [stroke:light-dark(#dde2e7,#363a41)]" />
    </>
  )
}

function enlarged([west, south, east, north]: Box): Box {
  const [x, y] = [(east - west) * MARGIN, (north - south) * MARGIN]
  return [west - x, south - y, east + x, north + y]
}
