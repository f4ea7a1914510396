/** A chart of the objects of a view, wherever it stands. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useValueTitles } from '../queries/linked-titles.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { useSession } from '../session/session.tsx'
import { ErrorNote } from '../ui/controls.tsx'
import { useWidth } from '../ui/hooks.ts'
import { type ChartState, DEFAULT_CHART } from '../view/chart-state.ts'
import type { TypeView } from '../view/type-view.ts'
import { type Bucket, TooManyGroups } from './axis.ts'
import { ChartNote, Legend } from './chart-parts.tsx'
import { type Cube, cubeQuery } from './cube.ts'
import { type DrawnChart, drawnChart, formOf, type OnFilter, seriesOf } from './drawn-chart.ts'
import { HeatMap } from './heat-map.tsx'
import { LyingBars } from './lying-bars.tsx'
import { MapChart } from './map-chart.tsx'
import { isDimension, isPlace, measurable, measureFormat } from './measures.ts'
import { isEmpty, PivotTable } from './pivot-table.tsx'
import { ScatterPlot, type ScatterPlotProps } from './scatter-plot.tsx'
import { UprightChart } from './upright-chart.tsx'

export interface ChartProps {
  readonly of: TypeView
  readonly chart: ChartState
  /** Filters for the objects of what is pressed; nothing can be pressed without it. */
  readonly onFilter?: OnFilter | undefined
  /** Nothing is asked for before it is true. */
  readonly canCount?: boolean
}

export function Chart({ of, chart, onFilter, canCount = true }: ChartProps) {
  const { drawn, error, isOld } = useChart(of, chart, canCount)
  if (error instanceof TooManyGroups) return <ChartNote>{error.message}</ChartNote>
  if (error !== null) return <ErrorNote error={error} />
  if (drawn === undefined)
    return <div className="late h-60 rounded-md bg-raised" aria-busy="true" />
  if (isEmpty(drawn)) return <ChartNote>No object of this view has a value to show.</ChartNote>
  return (
    <figure className={`grid gap-3 m-0 min-w-0 ${isOld ? 'opacity-60' : ''}`} aria-busy={isOld}>
      {(drawn.form === 'bars' || drawn.form === 'line') && <Legend drawn={drawn} />}
      <Form {...{ of, chart, drawn, onFilter }} />
      {drawn.note !== undefined && <figcaption className="label">{drawn.note}</figcaption>}
    </figure>
  )
}

/** A chart in the form that suits it, as wide as there is room. */
export function Form(props: Omit<ScatterPlotProps, 'width'>) {
  const [frame, width] = useWidth()
  return (
    <div ref={frame} className="min-w-0">
      {width > 0 && <SizedForm {...props} width={width} />}
    </div>
  )
}

function SizedForm(props: ScatterPlotProps) {
  const { form, axis, rows, columns, valueAt, format, title } = props.drawn
  if (axis === undefined && columns.length === 1) {
    const [row] = rows
    return (
      <p className="text-[40px] leading-12 font-semibold tabular-nums" title={title}>
        {format(valueAt(row?.place ?? 0, columns[0]?.place ?? 0))}
      </p>
    )
  }
  if (form === 'pivot' || axis === undefined) return <PivotTable {...props} />
  if (form === 'map') return <MapChart {...props} />
  if (form === 'heat') return <HeatMap {...props} />
  if (form === 'scatter') return <ScatterPlot {...props} />
  if (form === 'line' || axis.kind !== 'values') return <UprightChart {...props} />
  return <LyingBars {...props} />
}

export interface ShownChart {
  readonly drawn: DrawnChart | undefined
  readonly cube: Cube | undefined
  readonly error: Error | null
  /** True while the chart still shows the objects of the last view. */
  readonly isOld: boolean
}

const NONE: readonly string[] = []

/** Reads the numbers of a chart. */
export function useChart(of: TypeView, asked: ChartState, canCount: boolean): ShownChart {
  const { service } = useSession()
  const chart = useMemo(() => knownChart(of, asked), [of, asked])
  const styleOf = useNumberStyles(of, { canRead: canCount })
  const form = formOf(of, chart)
  const { data, error, isPlaceholderData } = useQuery({
    ...cubeQuery(service, of, chart, seriesOf(form)),
    enabled: canCount,
    placeholderData: (last: Cube | undefined) => last,
  })
  const first = useTitles(of, data, 0)
  const second = useTitles(of, data, 1)
  const drawn = useMemo(() => {
    if (data === undefined) return undefined
    const labelOf = (path: string | undefined, bucket: Bucket) => {
      const titleOf = path === data.axes[0]?.path ? first : second
      const title = bucket.kind === 'value' ? titleOf(bucket.filters?.[0]?.value ?? '') : undefined
      return title === undefined ? bucket.label : `${bucket.label} ${title}`
    }
    const style = chart.measure.of === undefined ? 'grouped' : styleOf(chart.measure.of)
    const format = measureFormat(of.objectType, chart.measure, style)
    return drawnChart({ of, chart, cube: data, labelOf, format })
  }, [of, chart, data, first, second, styleOf])
  return { drawn, cube: data, error, isOld: isPlaceholderData }
}

/** Returns the titles of the objects that the values of an axis are the keys of. */
function useTitles(of: TypeView, cube: Cube | undefined, index: number) {
  const axis = cube?.axes[index]
  const values = useMemo(
    () =>
      axis?.buckets.flatMap(({ kind, filters }) =>
        kind === 'value' ? (filters?.[0]?.value ?? []) : [],
      ) ?? NONE,
    [axis],
  )
  return useValueTitles(of, axis?.path ?? '', axis?.kind === 'values' ? values : NONE)
}

/** Returns the chart without what the type does not have: it may have been removed since. */
export function knownChart({ objectType }: TypeView, chart: ChartState): ChartState {
  const known = chart.by.filter(({ path }) => isDimension(objectType, path))
  const place = known.find(({ path }) => isPlace(objectType, path))
  // A map has no room for another dimension.
  const by = place === undefined ? known : [place]
  const { kind, of } = chart.measure
  const isKnown = kind === 'count' || measurable(objectType, kind).some((path) => path === of)
  const against = place === undefined ? chart.against : undefined
  return { ...chart, by, against, measure: isKnown ? chart.measure : DEFAULT_CHART.measure }
}
