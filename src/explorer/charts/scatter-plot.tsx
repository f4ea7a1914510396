/** Two numbers of each object: single points while there are few, else the density of all. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { extent, ticks as roundTicks } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { formatCount } from '../../contract/count-of.ts'
import { keyText } from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { countedKey, staleTimeOf } from '../queries/aggregate.ts'
import { readRecords } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { axisFormat } from '../ui/format-value.ts'
import type { ChartState } from '../view/chart-state.ts'
import { conditionsOf } from '../view/compile-filters.ts'
import { isNull, nameOfPath, valueAt } from '../view/paths.ts'
import type { TypeView } from '../view/type-view.ts'
import { ALONG, usePartKeys } from './chart-keys.ts'
import { ChartNote, Drawing, Part, TipBox, usePointed } from './chart-parts.tsx'
import type { FormProps } from './drawn-chart.ts'
import { HeatMap } from './heat-map.tsx'

/** More points than these hide each other. */
const MOST_POINTS = 1000

interface Point {
  readonly key: string
  readonly title: string
  readonly x: number
  readonly y: number
}

/** Reads the points of a view; undefined if there are more than can be drawn. */
function pointsQuery(service: Service, of: TypeView, x: string, y: string) {
  return queryOptions({
    queryKey: ['points', x, y, ...countedKey(of)],
    queryFn: async ({ signal }): Promise<readonly Point[] | undefined> => {
      const { primaryKey, titleProperty = primaryKey } = of.objectType
      const present = [x, y].map((path) => isNull(path, false))
      const properties = [x, y].map((path) => path.split('/')[0] ?? '')
      const query = {
        conditions: [...conditionsOf(of.view, of), ...present],
        order: [],
        select: [...new Set([primaryKey, titleProperty, ...properties])],
      }
      const options = { pageSize: MOST_POINTS + 1, signal }
      const records = await readRecords(service, of, query, options)
      if (records.length > MOST_POINTS) return undefined
      return records.map((record) => {
        const key = keyText(record.key)
        const [one, other] = [x, y].map((path) => Number(valueAt(record, path)))
        return { key, title: record.title ?? key, x: one ?? Number.NaN, y: other ?? Number.NaN }
      })
    },
    staleTime: staleTimeOf(of),
  })
}

export interface ScatterPlotProps extends FormProps {
  readonly of: TypeView
  readonly chart: ChartState
}

export function ScatterPlot(props: ScatterPlotProps) {
  const { of, chart, drawn, onFilter } = props
  const { service } = useSession()
  const [x, y] = chart.by.map(({ path }) => path)
  const { data, isPending } = useQuery(pointsQuery(service, of, x ?? '', y ?? ''))
  if (isPending) return <div className="late h-60 rounded-md bg-raised" aria-busy="true" />
  if (data === undefined) {
    return (
      <>
        <HeatMap {...props} />
        <p className="label">
          Each cell holds many objects. Filter for at most {formatCount(MOST_POINTS)} to see each as
          a point.
        </p>
      </>
    )
  }
  const points = data
    .filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y))
    .toSorted((a, b) => a.x - b.x)
  if (points.length === 0) return <ChartNote>No object of this view has both numbers.</ChartNote>
  const names = [x, y].map((path) => nameOfPath(of.objectType, path ?? ''))
  const filter = (key: string) =>
    onFilter?.([{ field: of.objectType.primaryKey, operator: 'eq', value: key }])
  const shown = { points, names, width: props.width, title: drawn.title }
  return <Points {...shown} onChoose={onFilter && filter} />
}

const HEIGHT = 400
const MARGIN = { left: 64, right: 20, top: 26, bottom: 44 } as const

interface PointsProps {
  readonly points: readonly Point[]
  readonly names: readonly string[]
  readonly title: string
  readonly width: number
  readonly onChoose: ((key: string) => void) | undefined
}

function Points({ points, names, title, width, onChoose }: PointsProps) {
  const [pointed, setPointed] = usePointed<Point>(points)
  const keys = usePartKeys({
    count: points.length,
    steps: ALONG,
    onPress: (index) => onChoose?.(points[index]?.key ?? ''),
  })
  const [bottom, right] = [HEIGHT - MARGIN.bottom, width - MARGIN.right]
  const scaleOf = (of: (point: Point) => number, range: readonly [number, number]) => {
    const [least = 0, most = 0] = extent(points, of)
    const domain = least === most ? [least - 1, most + 1] : [least, most]
    return scaleLinear(domain, range).nice()
  }
  const x = scaleOf((point) => point.x, [MARGIN.left, right])
  const y = scaleOf((point) => point.y, [bottom, MARGIN.top])
  return (
    <div className="relative" onPointerLeave={() => setPointed(undefined)}>
      <Drawing
        label={`${title}: ${formatCount(points.length)} objects as points`}
        width={width}
        height={HEIGHT}
        className="text-xs"
        onKeyDown={keys.onKeyDown}
      >
        <Axes {...{ x, y, width, names }} />
        {points.map((point, index) => (
          <Part
            key={point.key}
            {...{ keys, index }}
            aria-label={`${point.title}: ${names[0]} ${point.x}, ${names[1]} ${point.y}`}
            className={onChoose ? 'cursor-pointer' : ''}
            onPoint={() => setPointed(point)}
            onClick={() => onChoose?.(point.key)}
          >
            <circle
              cx={x(point.x)}
              cy={y(point.y)}
              r={point === pointed ? 6 : 4}
              fillOpacity={0.55}
              className="fill-accent stroke-panel"
            />
          </Part>
        ))}
      </Drawing>
      {pointed !== undefined && (
        <TipBox title={pointed.title} x={x(pointed.x)} y={y(pointed.y) + 10} width={width}>
          {[pointed.x, pointed.y].map((value, index) => (
            <span key={names[index]}>
              <span className="text-muted">{names[index]}</span> {value.toLocaleString('en')}
            </span>
          ))}
        </TipBox>
      )}
    </div>
  )
}

type Scale = ReturnType<typeof scaleLinear<number>>

interface AxesProps extends Pick<PointsProps, 'names' | 'width'> {
  readonly x: Scale
  readonly y: Scale
}

function Axes({ x, y, names, width }: AxesProps) {
  const [bottom, right] = [HEIGHT - MARGIN.bottom, width - MARGIN.right]
  return (
    <g className="fill-muted">
      {ticksOf(y, 6).map(({ value, label }) => (
        <g key={value} transform={`translate(0 ${y(value)})`}>
          <line x1={MARGIN.left} x2={right} className="stroke-line" />
          <text x={MARGIN.left - 8} y={4} textAnchor="end">
            {label}
          </text>
        </g>
      ))}
      {ticksOf(x, Math.max(2, Math.floor(width / 120))).map(({ value, label }) => (
        <g key={value} transform={`translate(${x(value)} 0)`}>
          <line y1={MARGIN.top} y2={bottom} className="stroke-line" />
          <text y={bottom + 16} textAnchor="middle">
            {label}
          </text>
        </g>
      ))}
      <text x={right} y={HEIGHT - 6} textAnchor="end" className="text-sm">
        {names[0]} →
      </text>
      <text x={8} y={14} className="text-sm">
        ↑ {names[1]}
      </text>
    </g>
  )
}

function ticksOf(scale: Scale, count: number) {
  const [low = 0, high = 1] = scale.domain()
  const values = roundTicks(low, high, count)
  const format = axisFormat(values)
  return values.map((value) => ({ value, label: format(value) }))
}
