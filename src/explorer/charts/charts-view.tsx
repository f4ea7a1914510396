/** Charts of the objects of a view: one that answers a question, and a picture of each property. */
import { Pictures, type PicturesProps } from '../pictures/pictures.tsx'
import { IconButton } from '../ui/controls.tsx'
import { type ChartState, DEFAULT_CHART } from '../view/chart-state.ts'
import type { Filter } from '../view/view-state.ts'
import { Chart, useChart } from './chart.tsx'
import { ChartSentence } from './chart-sentence.tsx'
import { replaceFilters } from './compare.ts'
import { describeChart } from './drawn-chart.ts'
import { PivotTable } from './pivot-table.tsx'

export function ChartsView(props: PicturesProps) {
  const { of, setView, canCount } = props
  const { chart } = of.view
  const change = (next: ChartState) => setView({ chart: next }, { replace: chart !== undefined })
  const filter = (filters: readonly Filter[]) =>
    setView({ filters: replaceFilters(of.view, filters).filters })
  return (
    <div className="flex-1 min-w-0 p-4 overflow-auto">
      <section
        className="grid gap-4 mb-4 p-4 border border-line rounded-lg bg-panel"
        aria-label={chart === undefined ? 'New chart' : describeChart(of.objectType, chart)}
      >
        <div className="flex items-start gap-2">
          <div className="flex-1 min-w-0">
            <ChartSentence of={of} chart={chart ?? DEFAULT_CHART} onChange={change} />
          </div>
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
            <Chart of={of} chart={chart} canCount={canCount} onFilter={filter} />
            <Numbers {...{ of, chart, canCount }} />
          </>
        )}
      </section>
      <Pictures {...props} />
    </div>
  )
}

interface NumbersProps extends Pick<PicturesProps, 'of' | 'canCount'> {
  readonly chart: ChartState
}

/** The same chart as a table, which everybody can read. */
function Numbers({ of, chart, canCount }: NumbersProps) {
  const { drawn } = useChart(of, chart, canCount)
  if (drawn === undefined || drawn.form === 'pivot' || drawn.rows.length === 0) return null
  return (
    <details className="text-base">
      <summary className="label cursor-pointer w-max">The numbers</summary>
      <PivotTable drawn={drawn} onFilter={undefined} />
    </details>
  )
}
