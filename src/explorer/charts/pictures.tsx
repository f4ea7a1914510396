/** A picture for each property: how its values are distributed over all objects of the view. */
import { useMemo } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import type { ObjectRecord } from '../api/ontology.ts'
import { messageOf } from '../api/service.ts'
import { differsInEachRow } from '../queries/facet-query.ts'
import { type ChartState, DEFAULT_CHART } from '../view/chart-state.ts'
import { nameOfPath, pathsOf } from '../view/paths.ts'
import { replaceFilters, scalarOf, type TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import type { Filter } from '../view/view-state.ts'
import { ALL } from './axis.ts'
import { Form, useChart } from './chart.tsx'
import type { DrawnChart } from './drawn-chart.ts'
import { isArray, isDimension, isPlace } from './measures.ts'

export interface PicturesProps {
  readonly of: TypeView
  readonly setView: SetView
  /** Rows come first: nothing is counted before their version is known. */
  readonly canCount: boolean
  /** The first rows of the view. */
  readonly rows: readonly ObjectRecord[]
}

/** Values of a picture, so that all pictures of a row have the same height. */
const VALUES_SHOWN = 6

/** Returns the chart of a picture. */
function pictureChart(path: string): ChartState {
  return { ...DEFAULT_CHART, by: [{ path, step: undefined }], top: VALUES_SHOWN }
}

export function Pictures(props: PicturesProps) {
  const { objectType } = props.of
  const { primaryKey, titleProperty } = objectType
  const names = pathsOf(objectType).filter(
    (path) =>
      isDimension(objectType, path) &&
      !isPlace(objectType, path) &&
      path !== primaryKey &&
      path !== titleProperty,
  )
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(320px,100%),1fr))] gap-4 content-start">
      {names.map((name) => (
        <Picture key={name} {...props} property={name} />
      ))}
    </div>
  )
}

function Picture(props: PicturesProps & { readonly property: string }) {
  const { of, property, setView, canCount, rows } = props
  // Counting texts that differ takes the longest of all, and shows the least.
  const isText = scalarOf(of.objectType, property) === 'string'
  const isLeftOut = isText && differsInEachRow(rows, property)
  const chart = useMemo(() => pictureChart(property), [property])
  const { drawn, error } = useChart(of, chart, canCount && !isLeftOut)
  const name = nameOfPath(of.objectType, property)
  const filter = (filters: readonly Filter[]) => setView(replaceFilters(of.view, filters))
  const missing = drawn?.rows.find(({ kind }) => kind === 'missing')
  return (
    <section
      className="grid gap-2 content-start min-w-0 p-3 border border-line rounded-lg bg-panel"
      aria-label={name}
    >
      <h2 className="flex flex-wrap gap-y-1 gap-x-3 items-baseline justify-between m-0">
        <button
          type="button"
          className="p-0 border-0 bg-transparent text-base leading-5 font-semibold cursor-pointer hover:text-accent"
          title="Show it as a chart"
          onClick={() => setView({ chart: { ...chart, top: DEFAULT_CHART.top } })}
        >
          {name}
        </button>
        {missing !== undefined && (
          <button
            type="button"
            className="p-0 border-0 bg-transparent leading-5 cursor-pointer text-muted text-sm font-normal tabular-nums hover:text-accent"
            title="Filter for objects without a value"
            onClick={() => filter(missing.filters ?? [])}
          >
            {formatCount(Number(drawn?.valueAt(missing.place, ALL)))} without a value
          </button>
        )}
      </h2>
      {error !== null && (
        <p role="alert" className="label">
          {messageOf(error)}
        </p>
      )}
      {isLeftOut && drawn === undefined && (
        <Note>The texts of the first rows are all different. A chart counts all of them.</Note>
      )}
      {drawn === undefined && error === null && !isLeftOut && (
        <div className="late h-42.5 rounded-md bg-raised" />
      )}
      {drawn !== undefined && <Content {...{ of, chart, drawn }} onFilter={filter} />}
    </section>
  )
}

function Note({ children }: { readonly children: string }) {
  return <p className="py-4 px-0 text-muted text-base leading-5">{children}</p>
}

function Content(props: Parameters<typeof Form>[0]) {
  const { of, drawn } = props
  const rows = drawn.rows.filter(({ kind }) => kind !== 'missing')
  if (rows.length === 0) return <Note>No values</Note>
  if (areDifferent(drawn) && !isArray(of.objectType, drawn.axis?.path ?? '')) {
    const counts = rows.map(({ place }) => Number(drawn.valueAt(place, ALL)))
    const present = formatCount(counts.reduce((sum, count) => sum + count, 0))
    return <Note>{`All ${present} values are different, so there is nothing to count.`}</Note>
  }
  return (
    <figure className="m-0 min-w-0">
      <Form {...props} drawn={{ ...drawn, rows }} isSmall />
      {drawn.note !== undefined && (
        <figcaption className="ml-[11%] text-muted text-xs leading-4">{drawn.note}</figcaption>
      )}
    </figure>
  )
}

/** True if there are more values than are shown, and even the most frequent one occurs once. */
function areDifferent({ axis, rows, valueAt }: DrawnChart): boolean {
  const hasRest = rows.some(({ kind }) => kind === 'rest')
  return axis?.kind === 'values' && hasRest && valueAt(0, ALL) === 1
}
