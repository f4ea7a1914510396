/** Bars that can be pressed or brushed; what is chosen becomes a filter. */
import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { type PointerEvent, useRef, useState } from 'react'
import { formatCount } from '../ui/format.ts'
import type { Filter } from '../view/view-state.ts'
import type { Bar, Distribution } from './distribution.ts'
import styles from './pictures.module.css'

const WIDTH = 640
const HEIGHT = 200
const GAP = 1

export interface ChartProps {
  readonly label: string
  readonly distribution: Distribution
  readonly onChoose: (filters: readonly Filter[]) => void
}

export function Chart({ label, distribution, onChoose }: ChartProps) {
  const { bars, kind } = distribution
  return kind === 'values' ? (
    <ValueBars label={label} bars={bars} onChoose={onChoose} />
  ) : (
    <Histogram label={label} bars={bars} onChoose={onChoose} />
  )
}

interface BarsProps extends Omit<ChartProps, 'distribution'> {
  readonly bars: readonly Bar[]
}

/** Upright bars along an axis. Dragging over several chooses the range that they cover. */
function Histogram({ label, bars, onChoose }: BarsProps) {
  const svg = useRef<SVGSVGElement>(null)
  const [brush, setBrush] = useState<readonly [number, number]>()
  const height = scaleLinear([0, max(bars, ({ count }) => count) ?? 1], [0, HEIGHT])
  const width = WIDTH / Math.max(1, bars.length)
  const barAt = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect()
    const share = box === undefined ? 0 : (event.clientX - box.left) / box.width
    return Math.max(0, Math.min(bars.length - 1, Math.floor(share * bars.length)))
  }
  const choose = (from: number, to: number) => {
    const [first, last] = from < to ? [from, to] : [to, from]
    const start = bars[first]?.filters.filter(({ operator }) => operator === 'gte') ?? []
    const end = bars[last]?.filters.filter(({ operator }) => operator === 'lt') ?? []
    onChoose([...start, ...end])
  }
  const isBrushed = (index: number) =>
    brush !== undefined && index >= Math.min(...brush) && index <= Math.max(...brush)
  return (
    <figure className={styles.figure}>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset */}
      <svg
        ref={svg}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className={styles.chart}
        role="group"
        aria-label={label}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setBrush([barAt(event), barAt(event)])
        }}
        onPointerMove={(event) => brush && setBrush([brush[0], barAt(event)])}
        onPointerUp={() => {
          if (brush !== undefined) choose(...brush)
          setBrush(undefined)
        }}
      >
        {bars.map(({ label: range, count }, index) => (
          // biome-ignore lint/a11y/useSemanticElements: SVG has no button element
          <g
            key={range}
            role="button"
            tabIndex={0}
            aria-label={`${range}: ${formatCount(count)}`}
            onKeyDown={({ key }) => key === 'Enter' && choose(index, index)}
          >
            <rect
              x={index * width}
              width={width}
              height={HEIGHT}
              className={isBrushed(index) ? styles.brushed : styles.slot}
            />
            <rect
              x={index * width + GAP}
              y={HEIGHT - height(count)}
              width={Math.max(1, width - 2 * GAP)}
              height={height(count)}
              className={styles.bar}
            />
            <title>{`${range}: ${formatCount(count)}`}</title>
          </g>
        ))}
      </svg>
      <figcaption className={styles.axis}>
        <span>{bars[0]?.label.split(' – ')[0]}</span>
        <span>{bars.at(-1)?.label.split(' – ').at(-1)}</span>
      </figcaption>
    </figure>
  )
}

/** Lying bars with their values, the most frequent first. */
function ValueBars({ label, bars, onChoose }: BarsProps) {
  const most = max(bars, ({ count }) => count) ?? 1
  return (
    <ul className={styles.values} aria-label={label}>
      {bars.map(({ label: value, count, filters }) => (
        <li key={value}>
          <button type="button" onClick={() => onChoose(filters)}>
            <span className={styles.name}>{value}</span>
            <i style={{ width: `${(100 * count) / most}%` }} />
            <span>{formatCount(count)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
