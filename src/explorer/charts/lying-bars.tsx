/** Lying bars: a row for each value, with its name before the bar and its amount after it. */
import { scaleLinear } from 'd3-scale'
import { useMemo } from 'react'
import { cutText, withTextMeasure } from '../ui/text-width.ts'
import { usePartKeys } from './chart-keys.ts'
import { coloursOf, Drawing, describeRow, Part, Tip, usePointed } from './chart-parts.tsx'
import { type DrawnChart, type FormProps, filtersOf, type Line, lengthOf } from './drawn-chart.ts'

const ROW = 26
const SMALL_ROW = 22
const THIN = 13
const GAP = 6
const VALUE_WIDTH = 76
/** Between a name and its bar. */
const LABEL_GAP = 8
/** That of `text-sm`. */
const FONT_SIZE = 12
const UPWARDS = { ArrowUp: -1, ArrowDown: 1 } as const

export function LyingBars({ drawn, onFilter, width, isSmall }: FormProps) {
  const [pointed, setPointed] = usePointed(drawn)
  const { rows, columns, isStacked, title } = drawn
  const perRow = isStacked ? 1 : columns.length
  const rowHeight = perRow > 1 ? perRow * THIN + GAP : isSmall ? SMALL_ROW : ROW
  const longest = useMemo(
    () =>
      withTextMeasure(FONT_SIZE, (widthOf) => Math.max(...rows.map(({ label }) => widthOf(label)))),
    [rows],
  )
  const labels = Math.min(Math.ceil(longest) + LABEL_GAP + 2, width * 0.4, 320)
  const scale = scaleLinear(extentOf(drawn), [labels, Math.max(labels + 1, width - VALUE_WIDTH)])
  const height = rows.length * rowHeight
  const columnAt = (target: EventTarget) => {
    const place = target instanceof SVGElement ? target.dataset['column'] : undefined
    return place === undefined ? undefined : columns.find((each) => each.place === Number(place))
  }
  const choose = (row: Line | undefined, column?: Line) => {
    const filters = row && filtersOf(row, column)
    if (filters !== undefined) onFilter?.(filters)
  }
  const keys = usePartKeys({
    count: rows.length,
    steps: UPWARDS,
    onPress: (index) => choose(rows[index]),
  })
  return (
    <div className="relative" onPointerLeave={() => setPointed(undefined)}>
      <Drawing label={title} {...{ width, height }} className="text-sm" onKeyDown={keys.onKeyDown}>
        {rows.map((row, index) => (
          <Part
            key={row.place}
            {...{ keys, index }}
            aria-label={describeRow(drawn, row)}
            aria-disabled={onFilter === undefined || row.filters === undefined}
            className={onFilter && row.filters ? 'cursor-pointer' : ''}
            transform={`translate(0 ${index * rowHeight})`}
            onClick={({ target }) => choose(row, isStacked ? columnAt(target) : undefined)}
            onPointerMove={({ target, nativeEvent }) =>
              setPointed({
                row,
                column: columnAt(target),
                x: nativeEvent.offsetX,
                y: (index + 1) * rowHeight,
              })
            }
          >
            <rect
              width={width}
              height={rowHeight}
              rx={4}
              className="fill-transparent group-hover:fill-raised group-focus-visible:stroke-accent group-focus-visible:stroke-2"
            />
            <text
              x={labels - LABEL_GAP}
              y={rowHeight / 2 + 4}
              textAnchor="end"
              className={`pointer-events-none ${row.kind === 'value' ? 'fill-ink' : 'fill-muted'}`}
            >
              {cutText(row.label, labels - LABEL_GAP, FONT_SIZE)}
            </text>
            <RowBars {...{ drawn, row, scale, rowHeight, perRow }} />
          </Part>
        ))}
        <line x1={scale(0)} x2={scale(0)} y1={0} y2={height} className="stroke-edge" />
      </Drawing>
      <Tip drawn={drawn} pointed={pointed} width={width} />
    </div>
  )
}

interface RowBarsProps {
  readonly drawn: DrawnChart
  readonly row: Line
  readonly scale: (value: number) => number
  readonly rowHeight: number
  readonly perRow: number
}

function RowBars({ drawn, row, scale, rowHeight, perRow }: RowBarsProps) {
  const { columns, valueAt, format, isStacked } = drawn
  const thickness = perRow === 1 ? rowHeight - 10 : THIN - 2
  let start = 0
  const bars = columns.map((column, index) => {
    const value = lengthOf(valueAt(row.place, column.place))
    const from = isStacked ? start : 0
    if (isStacked) start += value ?? 0
    const y = perRow === 1 ? (rowHeight - thickness) / 2 : GAP / 2 + index * THIN
    return { column, value, from, to: from + (value ?? 0), y }
  })
  const total = isStacked && columns.length > 1 ? start : undefined
  // A bar that does not fit would look shorter than it is.
  const [low, high] = extentOf(drawn)
  const isDrawn = bars.every(({ from, to }) => from >= low && to >= low && to <= high)
  return (
    <>
      {bars.map(({ column, value, from, to, y }) => (
        <g key={column.place}>
          <rect
            x={Math.min(scale(from), scale(to))}
            y={y}
            width={isDrawn ? Math.abs(scale(to) - scale(from)) : 0}
            height={thickness}
            rx={columns.length === 1 ? 2 : 0}
            className={coloursOf(drawn, columns.length === 1 ? { ...row, place: 0 } : column).fill}
            data-column={columns.length === 1 ? undefined : column.place}
          />
          {total === undefined && (
            <text
              x={scale(isDrawn ? Math.max(0, to) : 0) + 6}
              y={y + thickness / 2 + 4}
              className={`pointer-events-none ${value === undefined ? 'fill-muted' : 'fill-ink'} ${perRow === 1 ? '' : 'text-xs'}`}
            >
              {format(valueAt(row.place, column.place))}
            </text>
          )}
        </g>
      ))}
      {total !== undefined && (
        <text
          x={scale(isDrawn ? total : 0) + 6}
          y={rowHeight / 2 + 4}
          className="fill-ink pointer-events-none"
        >
          {format(total)}
        </text>
      )}
    </>
  )
}

/**
 * Returns the smallest and the largest value on the axis, with zero between them. All others together
 * may be many times as large as each value: they do not press the values together.
 */
export function extentOf({ rows, columns, valueAt, isStacked }: DrawnChart): [number, number] {
  const single = rows.filter(({ kind }) => kind === 'value')
  const lengths = (single.length === 0 ? rows : single).flatMap((row) => {
    const values = columns.map(({ place }) => lengthOf(valueAt(row.place, place)) ?? 0)
    return isStacked ? [values.reduce((sum, value) => sum + value, 0)] : values
  })
  const [least, most] = [Math.min(0, ...lengths), Math.max(0, ...lengths)]
  return least === most ? [0, 1] : [least, most]
}
