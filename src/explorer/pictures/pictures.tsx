/** A picture for each property: how its values are distributed over all objects of the view. */

import { useQuery } from '@tanstack/react-query'
import { max, sum } from 'd3-array'
import { useMemo } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import { linkAt, nameOfProperty } from '../api/ontology.ts'
import { messageOf } from '../api/service.ts'
import { titleIn, useLinkedTitles } from '../queries/linked-titles.ts'
import { useSession } from '../session/session.tsx'
import { scalarOf } from '../view/conditions.ts'
import type { TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import type { Filter } from '../view/view-state.ts'
import type { Bar } from './bars.ts'
import { type Distribution, distributionQuery, hasPicture } from './distribution.ts'
import { Histogram } from './histogram.tsx'

export interface PicturesProps {
  readonly of: TypeView
  readonly setView: SetView
}

export function Pictures({ of, setView }: PicturesProps) {
  const { properties, primaryKey, titleProperty } = of.objectType
  const drawable = Object.keys(properties).filter((name) =>
    hasPicture(scalarOf(of.objectType, name)),
  )
  const large = drawable.find((name) => name === of.view.picture)
  const names = drawable.filter(
    (name) => name !== primaryKey && name !== titleProperty && name !== large,
  )
  return (
    <div className="grid flex-1 min-w-0 grid-cols-[repeat(auto-fill,minmax(min(320px,100%),1fr))] gap-4 content-start p-4 overflow-auto">
      {large !== undefined && (
        <Picture key={large} of={of} property={large} setView={setView} isLarge />
      )}
      {names.map((name) => (
        <Picture key={name} of={of} property={name} setView={setView} isLarge={false} />
      ))}
    </div>
  )
}

interface PictureProps extends PicturesProps {
  readonly property: string
  readonly isLarge: boolean
}

function Picture({ of, property, setView, isLarge }: PictureProps) {
  const { service } = useSession()
  const { data, error } = useQuery({
    ...distributionQuery(service, of, property),
    // The old picture stays until the new one has arrived.
    placeholderData: (previous: Distribution | undefined) => previous,
  })
  const name = nameOfProperty(property, of.objectType.properties[property])
  const choose = (chosen: readonly Filter[]) => {
    const others = of.view.filters.filter(({ field }) => field !== property)
    // All bars together are all values.
    const present: Filter = { field: property, operator: 'filled', value: '' }
    setView({ filters: [...others, ...(chosen.length === 0 ? [present] : chosen)] })
  }
  return (
    <section
      className={
        isLarge
          ? 'grid gap-2 content-start min-w-0 p-3 border border-line rounded-lg bg-panel col-span-full'
          : 'grid gap-2 content-start min-w-0 p-3 border border-line rounded-lg bg-panel'
      }
      aria-label={name}
    >
      <h2 className="flex flex-wrap gap-y-1 gap-x-3 items-baseline justify-between m-0">
        <button
          type="button"
          className="p-0 border-0 bg-transparent text-base leading-5 font-semibold cursor-pointer hover:text-accent"
          aria-expanded={isLarge}
          title={isLarge ? 'Show it small again' : 'Show it large'}
          onClick={() => setView({ picture: isLarge ? undefined : property }, { replace: true })}
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
      {data === undefined && error === null && <div className="h-42.5 rounded-md bg-raised" />}
      {data !== undefined && (
        <Content of={of} property={property} data={data} isLarge={isLarge} onChoose={choose} />
      )}
    </section>
  )
}

interface ContentProps {
  readonly of: TypeView
  readonly property: string
  readonly data: Distribution
  readonly isLarge: boolean
  readonly onChoose: (filters: readonly Filter[]) => void
}

function Content({ of, property, data, isLarge, onChoose }: ContentProps) {
  const target = linkAt(of.ontology, of.objectType.apiName, property)?.target
  const wanted = useMemo(
    () =>
      target === undefined ? [] : data.bars.map(({ label }) => ({ type: target, key: label })),
    [target, data],
  )
  const titles = useLinkedTitles(of.ontology, wanted)
  if (data.kind === 'distinct') {
    return (
      <p className="py-4 px-0 text-muted text-base leading-5">
        All {formatCount(data.present)} values are different, so there is nothing to count.
      </p>
    )
  }
  if (data.bars.length === 0)
    return <p className="py-4 px-0 text-muted text-base leading-5">No values</p>
  return (
    <Chart
      label={nameOfProperty(property, of.objectType.properties[property])}
      distribution={data}
      isLarge={isLarge}
      titleOf={(key) => (target === undefined ? undefined : titleIn(titles, { type: target, key }))}
      onChoose={onChoose}
    />
  )
}

export interface ValueBarsProps {
  readonly label: string
  readonly bars: readonly Bar[]
  /** Objects with values that are not shown. */
  readonly others: number
  /** The titles of the values that are keys of other objects. */
  readonly titleOf: (value: string) => string | undefined
  readonly isLarge: boolean
  readonly onChoose: (filters: readonly Filter[]) => void
}

/** Bars of a small picture, so that all pictures of a row have the same height. */
const SMALL = 6

/** Lying bars with their values, the most frequent first. */
export function ValueBars(props: ValueBarsProps) {
  const { label, bars: all, titleOf, isLarge, onChoose } = props
  const bars = isLarge || all.length <= SMALL + 1 ? all : all.slice(0, SMALL)
  const others = props.others + sum(all.slice(bars.length), ({ count }) => count)
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

export interface ChartProps {
  readonly label: string
  readonly distribution: Distribution
  readonly isLarge: boolean
  /** The titles of the values that are keys of other objects. */
  readonly titleOf: (value: string) => string | undefined
  readonly onChoose: (filters: readonly Filter[]) => void
}

export function Chart({ label, distribution, isLarge, titleOf, onChoose }: ChartProps) {
  const { bars, ticks, note, kind, others } = distribution
  return kind === 'values' ? (
    <ValueBars
      label={label}
      bars={bars}
      others={others}
      titleOf={titleOf}
      isLarge={isLarge}
      onChoose={onChoose}
    />
  ) : (
    <Histogram
      label={label}
      bars={bars}
      ticks={ticks}
      note={note}
      isLarge={isLarge}
      onChoose={onChoose}
    />
  )
}
