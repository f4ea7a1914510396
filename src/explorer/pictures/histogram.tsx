/**
 * Upright bars along an axis. Dragging over several chooses the range that they cover; so do the
 * arrow keys with Shift, and Enter.
 */

import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { useId, useRef } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import { axisFormat } from '../ui/format-value.ts'
import type { Filter } from '../view/view-state.ts'
import type { Bar } from './bars.ts'
import type { Distribution } from './distribution.ts'
import { countTicks, fittingTicks, type Tick, tickAnchor } from './ticks.ts'
import { clamp, useBrush } from './use-brush.ts'

const SIZE = { width: 360, height: 190 } as const
const MARGIN = { left: 40, right: 16, top: 8, bottom: 24 } as const
const GAP = 1

export interface HistogramProps {
  readonly label: string
  readonly distribution: Distribution
  readonly onChoose: (filters: readonly Filter[]) => void
}

export function Histogram({ label, distribution, onChoose }: HistogramProps) {
  const { bars, ticks, note } = distribution
  const help = useId()
  const svg = useRef<SVGSVGElement>(null)
  const scale = scaleOf(bars)
  const { width, height, slot, bottom, top } = scale
  const gap = Math.min(GAP, slot / 4)
  const { active, isBrushed, setActive, handlers } = useBrush(
    svg,
    bars,
    { width, slot, left: MARGIN.left },
    onChoose,
  )
  return (
    <figure className="m-0">
      <p id={help} className="sr-only">
        Use the arrow keys to move, Shift to extend, and Enter to filter.
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset */}
      <svg
        ref={svg}
        viewBox={`0 0 ${width} ${height}`}
        className="block w-full h-auto touch-pan-y cursor-crosshair select-none"
        role="group"
        aria-label={label}
        aria-describedby={help}
        {...handlers}
      >
        <Axes
          scale={scale}
          ticks={fittingTicks(ticks, { slot, bars: bars.length, rest: MARGIN.right })}
          bars={bars.length}
        />
        {bars.map(({ label: range, count }, index) => (
          // biome-ignore lint/a11y/useSemanticElements: SVG has no button element
          <g
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its position on the axis
            key={index}
            className="group focus-visible:outline-none"
            role="button"
            data-bar={index}
            tabIndex={index === clamp(active, bars.length) ? 0 : -1}
            aria-label={`${range}: ${formatCount(count)}`}
            aria-pressed={isBrushed(index)}
            onFocus={() => setActive(index)}
          >
            {/* The place above the bar takes the pointer. */}
            <rect
              x={MARGIN.left + index * slot}
              y={MARGIN.top}
              width={slot}
              height={bottom - MARGIN.top}
              className={`group-focus-visible:stroke-accent group-focus-visible:stroke-2 ${isBrushed(index) ? 'fill-accent opacity-18' : 'fill-transparent group-hover:fill-raised'}`}
            />
            <rect
              x={MARGIN.left + index * slot + gap}
              y={top(count)}
              width={Math.max(0.5, slot - 2 * gap)}
              height={bottom - top(count)}
              className="fill-accent [transition:y_var(--motion),_height_var(--motion)] pointer-events-none"
            />
            <title>{`${range}: ${formatCount(count)}`}</title>
          </g>
        ))}
      </svg>
      {note !== undefined && (
        <figcaption className="ml-[11%] text-muted text-xs leading-4">{note}</figcaption>
      )}
    </figure>
  )
}

/** Where things are in a chart. */
function scaleOf(bars: readonly Bar[]) {
  const { width, height } = SIZE
  const bottom = height - MARGIN.bottom
  const largest = max(bars, ({ count }) => count) ?? 1
  return {
    width,
    height,
    /** The width of a bar, with its gap. */
    slot: (width - MARGIN.left - MARGIN.right) / Math.max(1, bars.length),
    bottom,
    /** The largest count. */
    largest,
    /** Returns the top of a bar. */
    top: scaleLinear([0, Math.max(1, largest)], [bottom, MARGIN.top]),
  }
}

type ChartScale = ReturnType<typeof scaleOf>

interface AxesProps {
  readonly scale: ChartScale
  readonly ticks: readonly Tick[]
  readonly bars: number
}

function Axes({ scale: { width, height, slot, largest, top }, ticks, bars }: AxesProps) {
  const counts = countTicks(largest)
  const showCount = axisFormat(counts, 'grouped')
  return (
    <g className="fill-muted text-xs tabular-nums">
      {counts.map((count) => (
        <g key={count}>
          <line
            className="stroke-line"
            x1={MARGIN.left}
            x2={width - MARGIN.right}
            y1={top(count)}
            y2={top(count)}
          />
          <text x={MARGIN.left - 6} y={top(count) + 4} textAnchor="end">
            {showCount(count)}
          </text>
        </g>
      ))}
      {ticks.map(({ index, label }) => (
        <text
          key={index}
          x={MARGIN.left + index * slot}
          y={height - 6}
          textAnchor={tickAnchor(index, bars)}
        >
          {label}
        </text>
      ))}
    </g>
  )
}
