/** Upright bars, or lines, along an axis of ranges. Dragging over several chooses their range. */
import { ticks as roundTicks } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { type ReactNode, useId } from 'react'
import { axisFormat } from '../ui/format-value.ts'
import type { Filter } from '../view/view-state.ts'
import { useBrush } from './chart-keys.ts'
import { coloursOf, Drawing, describeRow, Part, Tip, usePointed } from './chart-parts.tsx'
import { type DrawnChart, type FormProps, lengthOf } from './drawn-chart.ts'
import { extentOf } from './lying-bars.tsx'
import { fewTicks, fittingTicks, tickAnchor } from './ticks.ts'

/** Sizes, and the most labels along each axis. */
const LARGE = { height: 320, left: 56, valueTicks: 5, ticks: 9 } as const
const SMALL = { height: 190, left: 40, valueTicks: 4, ticks: 5 } as const
const MARGIN = { right: 16, top: 10, bottom: 26 } as const

/** Where things are in a chart. */
function layoutOf(drawn: DrawnChart, width: number, isSmall: boolean) {
  const sizes = isSmall ? SMALL : LARGE
  const { height, left, valueTicks } = sizes
  const bottom = height - MARGIN.bottom
  const slot = (width - left - MARGIN.right) / Math.max(1, drawn.rows.length)
  const extent = drawn.form === 'line' ? lineExtent(drawn) : extentOf(drawn)
  const y = scaleLinear(extent, [bottom, MARGIN.top]).nice(valueTicks)
  return { ...sizes, width, bottom, slot, y, leftOf: (row: number) => left + row * slot }
}

type Layout = ReturnType<typeof layoutOf>

/** Lines do not stand on each other, and an average need not start at zero. */
function lineExtent(drawn: DrawnChart): [number, number] {
  const [, most] = extentOf({ ...drawn, isStacked: false })
  const lengths = drawn.rows.flatMap((row) =>
    drawn.columns.flatMap(({ place }) => lengthOf(drawn.valueAt(row.place, place)) ?? []),
  )
  const least = Math.min(...lengths)
  // Zero is left out only where it would press the line flat.
  return [least > 0 && least > most / 2 && !drawn.isStacked ? least : Math.min(0, least), most]
}

export function UprightChart({ drawn, onFilter, width, isSmall = false }: FormProps) {
  const { axis, rows, title, form } = drawn
  const help = useId()
  const layout = layoutOf(drawn, width, isSmall)
  const { slot, bottom, leftOf } = layout
  const [pointed, setPointed] = usePointed(drawn)
  const choose = (filters: readonly Filter[]) => {
    // All ranges together are all values.
    const hasAll = filters.length === 0 && rows.at(-1)?.kind !== 'missing'
    const all = { field: axis?.path ?? '', operator: 'filled', value: '' } as const
    if (filters.length > 0 || hasAll) onFilter?.(hasAll ? [all] : filters)
  }
  const { isBrushed, keys, handlers } = useBrush(rows, layout, choose)
  return (
    <div className="relative" onPointerLeave={() => setPointed(undefined)}>
      <p id={help} className="sr-only">
        Use the arrow keys to move{onFilter && ', Shift to extend, and Enter to filter'}.
      </p>
      <Drawing
        label={title}
        width={width}
        height={layout.height}
        className={`text-xs touch-pan-y ${onFilter ? 'cursor-crosshair' : ''}`}
        aria-describedby={help}
        {...handlers}
      >
        <Axes drawn={drawn} layout={layout} />
        {form === 'line' ? <Lines {...{ drawn, layout }} /> : <Bars {...{ drawn, layout }} />}
        {rows.map((row, index) => (
          <Part
            key={row.place}
            {...{ keys, index }}
            aria-label={describeRow(drawn, row)}
            aria-pressed={isBrushed(index)}
            onBlur={() => setPointed(undefined)}
            onPoint={() => setPointed({ row, x: leftOf(index) + slot / 2, y: MARGIN.top + 24 })}
          >
            <rect
              x={leftOf(index)}
              y={MARGIN.top}
              width={slot}
              height={bottom - MARGIN.top}
              className={`group-focus-visible:stroke-accent group-focus-visible:stroke-2 ${isBrushed(index) ? 'fill-accent opacity-18' : 'fill-transparent group-hover:fill-ink group-hover:opacity-6'}`}
            />
          </Part>
        ))}
      </Drawing>
      <Tip drawn={drawn} pointed={pointed} width={width} />
    </div>
  )
}

interface PartProps {
  readonly drawn: DrawnChart
  readonly layout: Layout
}

function Axes({ drawn, layout }: PartProps) {
  const { width, bottom, slot, left, y, leftOf } = layout
  const [low = 0, high = 1] = y.domain()
  const values = roundTicks(low, high, layout.valueTicks).filter(
    (value) => !drawn.isWhole || Number.isInteger(value),
  )
  const short = axisFormat(values, 'grouped')
  const missing = drawn.rows.findIndex(({ kind }) => kind === 'missing')
  const bars = missing === -1 ? drawn.rows.length : missing
  // The label of the last edge would touch that of what is missing.
  const ticks = fewTicks(drawn.axis?.ticks ?? [], layout.ticks).filter(
    ({ index }) => missing === -1 || index < bars,
  )
  const shown = fittingTicks(ticks, { slot, bars, rest: MARGIN.right })
  return (
    <g className="fill-muted">
      {values.map((value) => (
        <g key={value}>
          <line
            className={value === 0 ? 'stroke-edge' : 'stroke-line'}
            x1={left}
            x2={width - MARGIN.right}
            y1={y(value)}
            y2={y(value)}
          />
          <text x={left - 8} y={y(value) + 4} textAnchor="end">
            {drawn.isShare ? drawn.format(value) : short(value)}
          </text>
        </g>
      ))}
      {shown.map(({ index, label }) => (
        <text key={index} x={leftOf(index)} y={bottom + 18} textAnchor={tickAnchor(index, bars)}>
          {label}
        </text>
      ))}
      {missing !== -1 && (
        <text x={width - MARGIN.right} y={bottom + 18} textAnchor="end">
          missing
        </text>
      )}
    </g>
  )
}

function Bars({ drawn, layout }: PartProps): ReactNode {
  const { rows, columns, valueAt, isStacked } = drawn
  const { slot, y, leftOf } = layout
  const gap = Math.min(columns.length > 1 && !isStacked ? slot / 8 : 1, slot / 4)
  const thickness = (slot - 2 * gap) / (isStacked ? 1 : columns.length)
  return rows.flatMap((row, index) => {
    let start = 0
    return columns.map((column, place) => {
      const value = lengthOf(valueAt(row.place, column.place))
      if (value === undefined) return null
      const from = isStacked ? start : 0
      start += value
      const [top, foot] = [Math.min(y(from), y(from + value)), Math.max(y(from), y(from + value))]
      return (
        <rect
          key={`${row.place} ${column.place}`}
          x={leftOf(index) + gap + (isStacked ? 0 : place * thickness)}
          y={top}
          width={Math.max(0.5, thickness)}
          height={foot - top}
          className={coloursOf(drawn, columns.length === 1 ? { ...row, place: 0 } : column).fill}
        />
      )
    })
  })
}

/** Single points, which no line leads to, are dots; so are those of short lines. */
const MOST_DOTS = 40

function Lines({ drawn, layout }: PartProps): ReactNode {
  const { rows, columns, valueAt, isCompared } = drawn
  const { slot, y, leftOf } = layout
  // What the view is compared with lies below it.
  return columns.toReversed().map((column) => {
    const colours = coloursOf(drawn, column)
    const points = rows.flatMap((row, index) => {
      const value = lengthOf(valueAt(row.place, column.place))
      return row.kind === 'missing' ? [] : [[index, value] as const]
    })
    const known = points.filter(([, value]) => value !== undefined)
    const isDashed = isCompared && column.place === 1
    return (
      <g key={column.place}>
        <path
          d={linePath(
            points.map(([index, value]) => [
              leftOf(index) + slot / 2,
              value === undefined ? value : y(value),
            ]),
          )}
          fill="none"
          strokeWidth={2}
          strokeDasharray={isDashed ? '4 4' : undefined}
          strokeLinejoin="round"
          className={colours.stroke}
        />
        {known.length <= MOST_DOTS &&
          known.map(([index, value]) => (
            <circle
              key={index}
              cx={leftOf(index) + slot / 2}
              cy={y(value ?? 0)}
              r={3}
              className={colours.fill}
            />
          ))}
      </g>
    )
  })
}

/** Returns the path through points; it has a gap where one has no height. */
function linePath(points: readonly (readonly [x: number, y: number | undefined])[]): string {
  let isBroken = true
  return points
    .map(([x, y]) => {
      if (y === undefined) {
        isBroken = true
        return ''
      }
      const command = isBroken ? 'M' : 'L'
      isBroken = false
      return `${command}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
