/** A picture for each property: how its values are distributed over all objects of the view. */
import { useQuery } from '@tanstack/react-query'
import { max, sum } from 'd3-array'
import { useMemo } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import type { ObjectRecord } from '../api/ontology.ts'
import { messageOf } from '../api/service.ts'
import { differsInEachRow } from '../queries/facet-query.ts'
import { useValueTitles } from '../queries/linked-titles.ts'
import { useSession } from '../session/session.tsx'
import { DEFAULT_CHART } from '../view/chart-state.ts'
import { isOnlyOn } from '../view/filters.ts'
import { nameOfPath, pathsOf } from '../view/paths.ts'
import { scalarOf, type TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import type { Filter } from '../view/view-state.ts'
import { type Distribution, distributionQuery, hasPicture } from './distribution.ts'
import { Histogram, type HistogramProps } from './histogram.tsx'

export interface PicturesProps {
  readonly of: TypeView
  readonly setView: SetView
  /** Rows come first: nothing is counted before their version is known. */
  readonly canCount: boolean
  /** The first rows of the view. */
  readonly rows: readonly ObjectRecord[]
}

export function Pictures(props: PicturesProps) {
  const { of } = props
  const { primaryKey, titleProperty } = of.objectType
  const drawable = pathsOf(of.objectType).filter((name) =>
    hasPicture(scalarOf(of.objectType, name)),
  )
  const names = drawable.filter((name) => name !== primaryKey && name !== titleProperty)
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(320px,100%),1fr))] gap-4 content-start">
      {names.map((name) => (
        <Picture key={name} {...props} property={name} />
      ))}
    </div>
  )
}

interface PictureProps extends PicturesProps {
  readonly property: string
}

function Picture({ of, property, setView, canCount, rows }: PictureProps) {
  const { service } = useSession()
  // Counting texts that differ takes the longest of all, and shows the least.
  const isText = scalarOf(of.objectType, property) === 'string'
  const isLeftOut = isText && differsInEachRow(rows, property)
  const { data, error } = useQuery({
    ...distributionQuery(service, of, property),
    enabled: canCount && !isLeftOut,
    // The old picture stays until the new one has arrived.
    placeholderData: (previous: Distribution | undefined) => previous,
  })
  const name = nameOfPath(of.objectType, property)
  const choose = (chosen: readonly Filter[]) => {
    const others = of.view.filters.filter((filter) => !isOnlyOn(filter, property))
    // All bars together are all values.
    const present: Filter = { field: property, operator: 'filled', value: '' }
    setView({ filters: [...others, ...(chosen.length === 0 ? [present] : chosen)] })
  }
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
          onClick={() =>
            setView({ chart: { ...DEFAULT_CHART, by: [{ path: property, step: undefined }] } })
          }
        >
          {name}
        </button>
        {data !== undefined && data.missing > 0 && (
          <button
            type="button"
            className="p-0 border-0 bg-transparent leading-5 cursor-pointer text-muted text-sm font-normal tabular-nums hover:text-accent"
            title="Filter for objects without a value"
            onClick={() => choose([{ field: property, operator: 'empty', value: '' }])}
          >
            {formatCount(data.missing)} without a value
          </button>
        )}
      </h2>
      {error !== null && (
        <p role="alert" className="label">
          {messageOf(error)}
        </p>
      )}
      {isLeftOut && data === undefined && (
        <p className="py-4 px-0 text-muted text-base leading-5">
          The texts of the first rows are all different. A chart counts all of them.
        </p>
      )}
      {data === undefined && error === null && !isLeftOut && (
        <div className="late h-42.5 rounded-md bg-raised" />
      )}
      {data !== undefined && (
        <Content {...{ of, property }} label={name} distribution={data} onChoose={choose} />
      )}
    </section>
  )
}

interface ContentProps extends HistogramProps {
  readonly of: TypeView
  readonly property: string
}

function Content(props: ContentProps) {
  const { kind, bars, present } = props.distribution
  if (kind === 'distinct' || bars.length === 0) {
    return (
      <p className="py-4 px-0 text-muted text-base leading-5">
        {kind === 'distinct'
          ? `All ${formatCount(present)} values are different, so there is nothing to count.`
          : 'No values'}
      </p>
    )
  }
  return kind === 'values' ? <ValueBars {...props} /> : <Histogram {...props} />
}

/** Bars of a small picture, so that all pictures of a row have the same height. */
const SMALL = 6

/** Lying bars with their values, the most frequent first. */
function ValueBars({ of, property, distribution, ...props }: ContentProps) {
  const { label, onChoose } = props
  const all = distribution.bars
  const keys = useMemo(() => all.map((bar) => bar.label), [all])
  const titleOf = useValueTitles(of, property, keys)
  const bars = all.length <= SMALL + 1 ? all : all.slice(0, SMALL)
  const others = distribution.others + sum(all.slice(bars.length), ({ count }) => count)
  const most = max(bars, ({ count }) => count) ?? 1
  return (
    <ul className="m-0 p-0 list-none text-base leading-5" aria-label={label}>
      {bars.map(({ label: value, count, filters }) => (
        <li key={value}>
          <button
            type="button"
            className="grid grid-cols-[minmax(70px,36%)_minmax(0,1fr)_auto] gap-2 items-center w-full py-px px-1 border-0 rounded-md bg-transparent text-left cursor-pointer hover:bg-raised"
            title={titleOf(value) ?? value}
            onClick={() => onChoose(filters)}
          >
            <span className="truncate">
              {value === '' ? '(empty text)' : value}
              {titleOf(value) !== undefined && (
                <span className="text-muted"> {titleOf(value)}</span>
              )}
            </span>
            <span className="block">
              <i
                className="block h-2.5 rounded-xs bg-accent transition-[width] duration-(--motion)"
                style={{ width: `${(100 * count) / most}%` }}
              />
            </span>
            <span className="tabular-nums">{formatCount(count)}</span>
          </button>
        </li>
      ))}
      {others > 0 && (
        <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 items-center w-full py-px px-1 text-muted">
          <span>other values</span>
          <span className="tabular-nums">{formatCount(others)}</span>
        </li>
      )}
    </ul>
  )
}
