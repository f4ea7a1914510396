/** A chart of the objects of a view, wherever it stands. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { LostNote } from '../filters/lost-note.tsx'
import { useValueTitles } from '../queries/linked-titles.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { useSession } from '../session/session.tsx'
import { ErrorNote } from '../ui/controls.tsx'
import { useWidth } from '../ui/hooks.ts'
import type { ChartState } from '../view/chart-state.ts'
import type { LostPart } from '../view/lost-parts.ts'
import type { TypeView } from '../view/type-view.ts'
import { type Bucket, TooManyGroups } from './axis.ts'
import { ChartNote, Legend } from './chart-parts.tsx'
import { type Cube, cubeQuery } from './cube.ts'
import { type DrawnChart, drawnChart, formOf, type OnFilter, seriesOf } from './drawn-chart.ts'
import { HeatMap } from './heat-map.tsx'
import { lostInChart } from './lost-chart.ts'
import { LyingBars } from './lying-bars.tsx'
import { MapChart } from './map-chart.tsx'
import { isPlace, measureFormat } from './measures.ts'
import { isEmpty, PivotTable } from './pivot-table.tsx'
import { ScatterPlot, type ScatterPlotProps } from './scatter-plot.tsx'
import { UprightChart } from './upright-chart.tsx'

export interface ChartProps {
  readonly of: TypeView
  readonly chart: ChartState
  /** Filters for the objects of what is pressed; nothing can be pressed without it. */
  readonly onFilter?: OnFilter | undefined
  /** Repairs a chart that names what the type does not have. */
  readonly onChange?: ((chart: ChartState) => void) | undefined
  /** Nothing is asked for before it is true. */
  readonly canCount?: boolean
}

export function Chart({ of, chart, onFilter, onChange, canCount = true }: ChartProps) {
  const { drawn, lost, error, isOld } = useChart(of, chart, canCount)
  if (lost.length > 0) return <LostNote lost={lost} onChange={onChange} />
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
  /** What cannot be computed; nothing is then. */
  readonly lost: readonly LostPart<ChartState>[]
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
  const chart = useMemo(() => possibleChart(of, asked), [of, asked])
  const lost = useMemo(() => lostInChart(of, asked), [of, asked])
  const styleOf = useNumberStyles(of, { canRead: canCount })
  const form = formOf(of, chart)
  const { data, error, isPlaceholderData } = useQuery({
    ...cubeQuery(service, of, chart, seriesOf(form)),
    enabled: canCount && lost.length === 0,
    placeholderData: (last: Cube | undefined) => last,
  })
  const first = useTitles(of, data, 0)
  const second = useTitles(of, data, 1)
  const drawn = useMemo(() => {
    if (data === undefined || lost.length > 0) return undefined
    const labelOf = (path: string | undefined, bucket: Bucket) => {
      const titleOf = path === data.axes[0]?.path ? first : second
      const title = bucket.kind === 'value' ? titleOf(bucket.filters?.[0]?.value ?? '') : undefined
      return title === undefined ? bucket.label : `${bucket.label} ${title}`
    }
    const style = chart.measure.of === undefined ? 'grouped' : styleOf(chart.measure.of)
    const format = measureFormat(of.objectType, chart.measure, style)
    return drawnChart({ of, chart, cube: data, labelOf, format })
  }, [of, chart, lost, data, first, second, styleOf])
  return { drawn, lost, cube: data, error, isOld: isPlaceholderData }
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

/** Returns the chart that can be drawn: a map has no room for another dimension. */
export function possibleChart({ objectType }: TypeView, chart: ChartState): ChartState {
  const place = chart.by.find(({ path }) => isPlace(objectType, path))
  return place === undefined ? chart : { ...chart, by: [place], against: undefined }
}
