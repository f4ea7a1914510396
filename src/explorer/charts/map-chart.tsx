/** A measure by place: cells on a map, the stronger the colour the larger the value. */
import { bisectRight } from 'd3-array'
import { boundsOfBoxes, fitBox, type Point, toScreen } from '../map/camera.ts'
import { Outlines } from '../map/outlines.tsx'
import type { Box } from '../view/view-state.ts'
import { ALONG, usePartKeys } from './chart-keys.ts'
import { Drawing, Part, Tip, usePointed } from './chart-parts.tsx'
import { type DrawnChart, type FormProps, type Line, lengthOf } from './drawn-chart.ts'

const HEIGHT = 440
/** The same number of cells has each strength. */
const STRENGTHS = [0.18, 0.36, 0.55, 0.77, 1]
/** Degrees around the cells. */
const MARGIN = 0.04

type Cell = Line & { readonly box: Box }

export function MapChart({ drawn, onFilter, width }: FormProps) {
  const cells = drawn.rows.filter((row): row is Cell => row.box !== undefined)
  const [pointed, setPointed] = usePointed(drawn)
  const size: Point = [width, HEIGHT]
  const camera = fitBox(enlarged(boundsOfBoxes(cells.map(({ box }) => box))), size)
  const [column] = drawn.columns
  const shownAt = (row: Line) => drawn.valueAt(row.place, column?.place ?? 0)
  const values = cells.flatMap((row) => lengthOf(shownAt(row)) ?? []).toSorted((a, b) => a - b)
  const steps = stepsOf(values)
  const corner = ([west, , , north]: Box) => toScreen(camera, size, [west, north])
  const keys = usePartKeys({
    count: cells.length,
    steps: { ...ALONG, ArrowUp: -1, ArrowDown: 1 },
    onPress: (index) => onFilter?.([], cells[index]?.box),
  })
  return (
    <div className="grid gap-3">
      <Steps {...{ drawn, steps, values }} />
      <div className="relative" onPointerLeave={() => setPointed(undefined)}>
        <Drawing
          label={drawn.title}
          width={width}
          height={HEIGHT}
          className="overflow-hidden rounded-md"
          onKeyDown={keys.onKeyDown}
        >
          <Outlines camera={camera} size={size} />
          {cells.map((row, index) => {
            const value = shownAt(row)
            const length = lengthOf(value)
            const [x, y] = corner(row.box)
            const [west, south, east, north] = row.box
            return (
              <Part
                key={row.place}
                {...{ keys, index }}
                aria-label={`${row.label}: ${drawn.format(value)}`}
                className={onFilter ? 'cursor-pointer' : ''}
                onPoint={() => setPointed({ row, x, y: y + 16 })}
                onClick={() => onFilter?.([], row.box)}
              >
                <rect
                  x={x}
                  y={y}
                  width={(east - west) * camera.scale}
                  height={(north - south) * camera.scale}
                  fillOpacity={length === undefined ? 0 : STRENGTHS[bisectRight(steps, length)]}
                  className="fill-accent group-hover:stroke-ink group-focus-visible:stroke-ink group-focus-visible:stroke-2"
                />
              </Part>
            )
          })}
        </Drawing>
        <Tip drawn={drawn} pointed={pointed} width={width} />
      </div>
    </div>
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

function enlarged([west, south, east, north]: Box): Box {
  const [x, y] = [(east - west) * MARGIN, (north - south) * MARGIN]
  return [west - x, south - y, east + x, north + y]
}
