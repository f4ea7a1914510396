/** What all charts share: the colours of their series, the legend and the tooltip. */
import { type ReactNode, type SVGAttributes, useState } from 'react'
import type { PartKeys } from './chart-keys.ts'
import type { DrawnChart, Line } from './drawn-chart.ts'

interface Colours {
  readonly fill: string
  readonly stroke: string
  readonly swatch: string
}

const SERIES: readonly Colours[] = [
  { fill: 'fill-series-1', stroke: 'stroke-series-1', swatch: 'bg-series-1' },
  { fill: 'fill-series-2', stroke: 'stroke-series-2', swatch: 'bg-series-2' },
  { fill: 'fill-series-3', stroke: 'stroke-series-3', swatch: 'bg-series-3' },
  { fill: 'fill-series-4', stroke: 'stroke-series-4', swatch: 'bg-series-4' },
  { fill: 'fill-series-5', stroke: 'stroke-series-5', swatch: 'bg-series-5' },
  { fill: 'fill-series-6', stroke: 'stroke-series-6', swatch: 'bg-series-6' },
]
const OTHERS: Colours = { fill: 'fill-edge', stroke: 'stroke-edge', swatch: 'bg-edge' }
const MISSING: Colours = { fill: 'fill-edge/50', stroke: 'stroke-edge/50', swatch: 'bg-edge/50' }

/** Returns the colours of a column. What others are compared with is grey. */
export function coloursOf({ isCompared }: DrawnChart, { kind, place }: Line): Colours {
  if (kind === 'missing') return MISSING
  if (kind === 'rest' || (isCompared && place === 1)) return OTHERS
  return SERIES[Math.max(0, place) % SERIES.length] ?? OTHERS
}

/** The names of the columns with their colours. */
export function Legend({ drawn }: { readonly drawn: DrawnChart }) {
  const { columns, columnsName } = drawn
  if (columns.length < 2) return null
  return (
    <ul
      className="flex flex-wrap gap-x-4 gap-y-1 m-0 p-0 list-none text-sm leading-5"
      aria-label={columnsName ?? 'Compared'}
    >
      {columns.map((column) => (
        <li key={column.place} className="flex items-center gap-1.5 min-w-0">
          <i className={`flex-none size-2.5 rounded-xs ${coloursOf(drawn, column).swatch}`} />
          <span className="truncate max-w-60">{column.label}</span>
        </li>
      ))}
    </ul>
  )
}

/** A place in a chart that is pointed at or has the focus. */
export interface Pointed {
  readonly row: Line
  readonly column?: Line | undefined
  /** In pixels, from the left and the top of the chart. */
  readonly x: number
  readonly y: number
}

/** What is pointed at, until something else is drawn: places mean other values then. */
export function usePointed<P = Pointed>(drawn: object) {
  const [state, setState] = useState<{ readonly drawn: object; readonly pointed: P }>()
  const setPointed = (pointed: P | undefined) => setState(pointed && { drawn, pointed })
  return [state?.drawn === drawn ? state.pointed : undefined, setPointed] as const
}

export interface DrawingProps extends SVGAttributes<SVGSVGElement> {
  readonly label: string
  readonly width: number
  readonly height: number
}

/** The picture of a chart, whose parts are reached by keys. */
export function Drawing({ label, className = '', ...rest }: DrawingProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset
    <svg
      className={`block tabular-nums select-none ${className}`}
      role="group"
      aria-label={label}
      {...rest}
    />
  )
}

interface PartProps extends SVGAttributes<SVGGElement> {
  readonly keys: PartKeys
  readonly index: number
  /** Called when it is pointed at, also by keys. */
  readonly onPoint?: () => void
}

/** A part of a chart that can be reached and pressed. */
export function Part({ keys, index, onPoint, className = '', ...rest }: PartProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button element
    <g
      role="button"
      data-part={index}
      tabIndex={index === keys.active ? 0 : -1}
      className={`group focus-visible:outline-none ${className}`}
      onFocus={() => {
        keys.setActive(index)
        onPoint?.()
      }}
      onPointerEnter={onPoint}
      {...rest}
    />
  )
}

const TIP_WIDTH = 260
const TIP_GAP = 12

export interface TipBoxProps {
  readonly title: string
  readonly x: number
  readonly y: number
  /** That of the chart. */
  readonly width: number
  readonly children: ReactNode
}

/** What is pointed at. Screen readers get it as the names of the parts. */
export function TipBox({ title, x, y, width, children }: TipBoxProps) {
  const isLeft = x > width - TIP_WIDTH - 2 * TIP_GAP
  return (
    <div
      aria-hidden="true"
      className="absolute z-1 grid gap-0.5 w-max max-w-65 py-1.5 px-2 border border-line rounded-md bg-panel shadow-lg text-sm leading-4 pointer-events-none"
      style={{ top: y, ...(isLeft ? { right: width - x + TIP_GAP } : { left: x + TIP_GAP }) }}
    >
      <b className="font-semibold">{title}</b>
      {children}
    </div>
  )
}

export interface TipProps {
  readonly drawn: DrawnChart
  readonly pointed: Pointed | undefined
  readonly width: number
}

/** The exact values of what is pointed at. */
export function Tip({ drawn, pointed, width }: TipProps) {
  if (pointed === undefined) return null
  const { row, column, x, y } = pointed
  const shown = column === undefined ? drawn.columns : [column]
  return (
    <TipBox title={row.label} {...{ x, y, width }}>
      {shown.map((each) => (
        <TipLine key={each.place} {...{ drawn, row }} column={each} />
      ))}
    </TipBox>
  )
}

function TipLine(props: { readonly drawn: DrawnChart; readonly row: Line; readonly column: Line }) {
  const { drawn, row, column } = props
  const value = drawn.format(drawn.valueAt(row.place, column.place))
  return (
    <span className="flex items-center gap-1.5">
      {column.label !== '' && (
        <>
          <i className={`flex-none size-2 rounded-xs ${coloursOf(drawn, column).swatch}`} />
          <span className="truncate text-muted">{column.label}</span>
        </>
      )}
      <span className="tabular-nums">{value}</span>
      {drawn.isCompared && column.place === 1 && (
        <span className="text-muted">{changeOf(drawn, row)}</span>
      )}
    </span>
  )
}

/** Returns by how much the view differs from what it is compared with. */
export function changeOf({ valueAt }: DrawnChart, { place }: Line): string {
  const [now, before] = [Number(valueAt(place, 0)), Number(valueAt(place, 1))]
  // A change from less than nothing has no percentage.
  if (!Number.isFinite(now / before) || before < 0) return ''
  const percent = 100 * (now / before - 1)
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0)} %`
}

/** Returns a row in words, for screen readers. */
export function describeRow({ columns, valueAt, format }: DrawnChart, row: Line): string {
  const values = columns.map(({ label, place }) => {
    const value = format(valueAt(row.place, place))
    return label === '' ? value : `${label} ${value}`
  })
  return `${row.label}: ${values.join(', ')}`
}

/** A note in the place of a chart. */
export function ChartNote({ children }: { readonly children: ReactNode }) {
  return <p className="py-6 px-0 text-muted text-base leading-5 max-w-[70ch]">{children}</p>
}
