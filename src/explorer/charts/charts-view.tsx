/** Charts of the objects of a view: one that answers a question, and a picture of each property. */
import { useMemo, useRef } from 'react'
import { IconButton } from '../ui/controls.tsx'
import { type ChartState, DEFAULT_CHART } from '../view/chart-state.ts'
import { replaceFilters, type TypeView } from '../view/type-view.ts'
import { Chart, possibleChart, useChart } from './chart.tsx'
import { ChartSentence } from './chart-sentence.tsx'
import { ChartTools } from './chart-tools.tsx'
import type { DrawnChart, OnFilter } from './drawn-chart.ts'
import { Pictures, type PicturesProps } from './pictures.tsx'
import { PivotTable } from './pivot-table.tsx'

export function ChartsView(props: PicturesProps) {
  const { of, setView, canCount } = props
  const { chart: asked } = of.view
  const chart = useMemo(() => asked && possibleChart(of, asked), [of, asked])
  const change = (next: ChartState) => setView({ chart: next }, { replace: chart !== undefined })
  const filter: OnFilter = (filters, box = of.view.box) =>
    setView({ ...replaceFilters(of.view, filters), box })
  const frame = useRef<HTMLElement>(null)
  const shown = useChart(of, chart ?? DEFAULT_CHART, canCount && chart !== undefined)
  const drawn = chart === undefined ? undefined : shown.drawn
  return (
    <div className="flex-1 min-w-0 p-4 overflow-auto">
      <section
        ref={frame}
        className="grid gap-4 mb-4 p-4 border border-line rounded-lg bg-panel"
        aria-label="Chart"
      >
        <div className="flex items-start gap-2">
          <div className="flex-1 min-w-0">
            <ChartSentence
              of={of}
              chart={chart ?? DEFAULT_CHART}
              step={chart?.by[0]?.step === undefined ? drawn?.axis?.step : undefined}
              onChange={change}
            />
          </div>
          {drawn !== undefined && <ChartTools drawn={drawn} frame={frame} />}
          {chart !== undefined && (
            <IconButton
              icon="close"
              label="Close the chart"
              onClick={() => setView({ chart: undefined })}
            />
          )}
        </div>
        {chart !== undefined && (
          <>
            <Chart {...{ of, chart, canCount }} onFilter={filter} onChange={change} />
            {drawn !== undefined && <Numbers {...{ of, chart, drawn }} />}
          </>
        )}
      </section>
      <Pictures {...props} />
    </div>
  )
}

interface NumbersProps {
  readonly of: TypeView
  readonly chart: ChartState
  readonly drawn: DrawnChart
}

/** The same chart as a table, which everybody can read. */
function Numbers(props: NumbersProps) {
  const { form, rows } = props.drawn
  if (form === 'pivot' || rows.length === 0) return null
  return (
    <details className="text-base">
      <summary className="label cursor-pointer w-max">The numbers</summary>
      <PivotTable {...props} onFilter={undefined} />
    </details>
  )
}
