/** A grid of two dimensions, the stronger the colour the larger the value. */

import { cutText } from '../ui/text-width.ts'
import type { Axis } from './axis.ts'
import { ALONG, type PartKeys, usePartKeys } from './chart-keys.ts'
import { Drawing, Part, Tip, usePointed } from './chart-parts.tsx'
import { type DrawnChart, type FormProps, filtersOf, type Line, lengthOf } from './drawn-chart.ts'
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

/** Where the cells are, and what they hold. */
function cellsOf({ drawn, onFilter, width: available }: FormProps) {
  const { isTurned, xs, ys, xAxis } = orientedAxes(drawn)
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
  const strengthOf = (x: Line, y: Line) =>
    isSingle(x) && isSingle(y) ? Math.abs(lengthOf(cellValue(x, y)) ?? 0) / largest : 0
  const choose = (x: Line | undefined, y: Line | undefined) => {
    if (x === undefined || y === undefined) return
    const { row, column } = lineOf(x, y)
    const filters = filtersOf(row, column)
    if (filters !== undefined) onFilter?.(filters)
  }
  const content = { lineOf, cellValue, strengthOf, choose }
  return { xs, ys, xAxis, left, slot, width, height, ...content }
}

export function HeatMap(props: FormProps) {
  const { drawn, onFilter } = props
  const { xs, ys, xAxis, left, slot, width, height, ...cells } = cellsOf(props)
  const { lineOf, cellValue, strengthOf, choose } = cells
  const [pointed, setPointed] = usePointed(drawn)
  const keys = usePartKeys({
    count: xs.length * ys.length,
    steps: { ...ALONG, ArrowUp: -xs.length, ArrowDown: xs.length },
    onPress: (index) => choose(xs[index % xs.length], ys[Math.floor(index / xs.length)]),
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <section className="overflow-x-auto" tabIndex={0} aria-label={drawn.title}>
      <div className="relative w-max" onPointerLeave={() => setPointed(undefined)}>
        <Drawing
          label={drawn.title}
          width={width}
          height={height + BOTTOM}
          className="text-xs"
          onKeyDown={keys.onKeyDown}
        >
          {ys.map((y, row) => (
            <g key={y.place} transform={`translate(0 ${row * ROW})`}>
              <text
                x={left - 8}
                y={ROW / 2 + 4}
                textAnchor="end"
                className={`text-sm ${y.kind === 'value' ? 'fill-ink' : 'fill-muted'}`}
              >
                {cutText(y.label, left - 8, 12)}
              </text>
              {xs.map((x, column) => {
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
                    strength={strengthOf(x, y)}
                    canPress={onFilter !== undefined}
                    keys={keys}
                    index={row * xs.length + column}
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
        </Drawing>
        <Tip drawn={drawn} pointed={pointed} width={width} />
      </div>
    </section>
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
  readonly canPress: boolean
  readonly keys: PartKeys
  readonly index: number
  readonly onPoint: () => void
  readonly onPress: () => void
}

function Cell(props: CellProps) {
  const { x, width, name, text, value, strength, canPress, keys, index, onPoint, onPress } = props
  const colour = (value ?? 0) < 0 ? 'fill-series-2' : 'fill-accent'
  return (
    <Part
      aria-label={name}
      className={canPress ? 'cursor-pointer' : ''}
      onClick={onPress}
      {...{ keys, index, onPoint }}
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
          {cutText(text, width, 11)}
        </text>
      )}
    </Part>
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
        {cutText(short, slot - 4, 11)}
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
