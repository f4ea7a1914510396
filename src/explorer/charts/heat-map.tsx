/** A grid of two dimensions, the stronger the colour the larger the value. */
import { type KeyboardEvent, useRef, useState } from 'react'
import { useWidth } from '../ui/hooks.ts'
import type { Axis } from './axis.ts'
import { cutText, type Pointed, Tip } from './chart-parts.tsx'
import { type DrawnChart, filtersOf, type Line, lengthOf } from './drawn-chart.ts'
import type { FormProps } from './forms.ts'
import { fewTicks, fittingTicks, tickAnchor } from './ticks.ts'

const ROW = 26
const BOTTOM = 26
const LEAST_SLOT = 30
const MOST_TICKS = 9
/** Room for a number inside a cell. */
const TEXT_SLOT = 46
/** From this strength on, texts need the colour of the background. */
const STRONG = 0.65

/** Returns the axes as they are drawn: ranges lie along the bottom, and numbers grow upwards. */
function orientedAxes({ rows, columns, axis, columnsAxis }: DrawnChart) {
  const isTurned = axis?.kind !== 'values'
  const [x, y] = isTurned ? [rows, columns] : [columns, rows]
  const [xAxis, yAxis] = isTurned ? [axis, columnsAxis] : [columnsAxis, axis]
  const isUpwards = yAxis?.kind === 'numbers'
  return { isTurned, xs: x, ys: isUpwards ? y.toReversed() : y, xAxis, yAxis }
}

export function HeatMap({ drawn, onFilter }: FormProps) {
  const [frame, width] = useWidth()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <section ref={frame} className="min-w-0 overflow-x-auto" tabIndex={0} aria-label={drawn.title}>
      {width > 0 && <Grid {...{ drawn, onFilter, width }} />}
    </section>
  )
}

function Grid({ drawn, onFilter, width: available }: FormProps & { readonly width: number }) {
  const { isTurned, xs, ys, xAxis } = orientedAxes(drawn)
  const svg = useRef<SVGSVGElement>(null)
  const [active, setActive] = useState(0)
  const [pointed, setPointed] = useState<Pointed>()
  const left = Math.min(
    Math.max(...ys.map(({ label }) => label.length)) * 6.4 + 16,
    260,
    available * 0.4,
  )
  const least = xAxis?.kind === 'values' ? TEXT_SLOT : LEAST_SLOT / 3
  const slot = Math.max(least, (available - left) / xs.length)
  const [width, height] = [left + slot * xs.length, ROW * ys.length]
  const lineOf = (x: Line, y: Line) => (isTurned ? { row: x, column: y } : { row: y, column: x })
  const cellValue = (x: Line, y: Line) => {
    const { row, column } = lineOf(x, y)
    return drawn.valueAt(row.place, column.place)
  }
  // Those of all others together would make the rest pale.
  const isSingle = ({ kind }: Line) => kind === 'value'
  const strengths = ys
    .filter(isSingle)
    .flatMap((y) => xs.filter(isSingle).map((x) => Math.abs(lengthOf(cellValue(x, y)) ?? 0)))
  const largest = Math.max(Number.MIN_VALUE, ...strengths)
  const choose = (x: Line, y: Line) => {
    const { row, column } = lineOf(x, y)
    const filters = filtersOf(row, column)
    if (filters !== undefined) onFilter?.(filters)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -xs.length,
      ArrowDown: xs.length,
    }
    const step = steps[event.key]
    const [x, y] = [xs[active % xs.length], ys[Math.floor(active / xs.length)]]
    if (step !== undefined) {
      const next = active + step
      if (next < 0 || next >= xs.length * ys.length) return
      setActive(next)
      svg.current?.querySelector<SVGElement>(`[data-cell="${next}"]`)?.focus()
    } else if ((event.key === 'Enter' || event.key === ' ') && x && y) choose(x, y)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="relative w-max" onPointerLeave={() => setPointed(undefined)}>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset */}
      <svg
        ref={svg}
        width={width}
        height={height + BOTTOM}
        className="block text-xs tabular-nums select-none"
        role="group"
        aria-label={drawn.title}
        onKeyDown={onKeyDown}
      >
        {ys.map((y, row) => (
          <g key={y.place} transform={`translate(0 ${row * ROW})`}>
            <text
              x={left - 8}
              y={ROW / 2 + 4}
              textAnchor="end"
              className={`text-sm ${y.kind === 'value' ? 'fill-ink' : 'fill-muted'}`}
            >
              {cutText(y.label, left - 8)}
            </text>
            {xs.map((x, column) => {
              const index = row * xs.length + column
              const value = cellValue(x, y)
              const text = drawn.format(value)
              return (
                <Cell
                  key={x.place}
                  x={left + column * slot}
                  width={slot}
                  name={`${lineOf(x, y).row.label}, ${lineOf(x, y).column.label}: ${text}`}
                  text={slot >= TEXT_SLOT && value !== undefined && value !== 0 ? text : ''}
                  value={lengthOf(value)}
                  strength={
                    isSingle(x) && isSingle(y) ? Math.abs(lengthOf(value) ?? 0) / largest : 0
                  }
                  index={index}
                  isActive={index === active}
                  canPress={onFilter !== undefined}
                  onFocus={() => setActive(index)}
                  onPoint={() =>
                    setPointed({
                      ...lineOf(x, y),
                      x: left + (column + 0.5) * slot,
                      y: (row + 1) * ROW,
                    })
                  }
                  onPress={() => choose(x, y)}
                />
              )
            })}
          </g>
        ))}
        <g transform={`translate(${left} ${height + 18})`} className="fill-muted">
          <BottomLabels axis={xAxis} lines={xs} slot={slot} />
        </g>
      </svg>
      <Tip drawn={drawn} pointed={pointed} width={width} />
    </div>
  )
}

interface CellProps {
  readonly x: number
  readonly width: number
  readonly name: string
  readonly text: string
  readonly value: number | undefined
  /** 0 to 1. */
  readonly strength: number
  readonly index: number
  readonly isActive: boolean
  readonly canPress: boolean
  readonly onFocus: () => void
  readonly onPoint: () => void
  readonly onPress: () => void
}

function Cell(props: CellProps) {
  const { x, width, name, text, value, strength, index, isActive, canPress } = props
  const colour = (value ?? 0) < 0 ? 'fill-series-2' : 'fill-accent'
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button element
    <g
      role="button"
      data-cell={index}
      tabIndex={isActive ? 0 : -1}
      aria-label={name}
      className={`group focus-visible:outline-none ${canPress ? 'cursor-pointer' : ''}`}
      onFocus={() => {
        props.onFocus()
        props.onPoint()
      }}
      onPointerEnter={props.onPoint}
      onClick={props.onPress}
    >
      <rect x={x} width={width} height={ROW} className="fill-raised stroke-panel" />
      {value !== undefined && value !== 0 && (
        <rect
          x={x}
          width={width}
          height={ROW}
          fillOpacity={0.06 + 0.94 * strength}
          className={`${colour} stroke-panel group-hover:stroke-ink group-focus-visible:stroke-ink group-focus-visible:stroke-2`}
        />
      )}
      {text !== '' && (
        <text
          x={x + width / 2}
          y={ROW / 2 + 4}
          textAnchor="middle"
          className={`pointer-events-none ${strength > STRONG ? 'fill-panel' : 'fill-ink'}`}
        >
          {cutText(text, width, 5.6)}
        </text>
      )}
    </g>
  )
}

interface BottomLabelsProps {
  readonly axis: Axis | undefined
  readonly lines: readonly Line[]
  readonly slot: number
}

function BottomLabels({ axis, lines, slot }: BottomLabelsProps) {
  if (axis?.kind === 'values') {
    return lines.map(({ place, short }, index) => (
      <text key={place} x={(index + 0.5) * slot} textAnchor="middle">
        {cutText(short, slot - 4, 5.6)}
      </text>
    ))
  }
  const bars = lines.filter(({ kind }) => kind === 'value').length
  const ticks = fittingTicks(fewTicks(axis?.ticks ?? [], MOST_TICKS), { slot, bars, rest: 0 })
  return ticks.map(({ index, label }) => (
    <text key={index} x={index * slot} textAnchor={tickAnchor(index, bars)}>
      {label}
    </text>
  ))
}
