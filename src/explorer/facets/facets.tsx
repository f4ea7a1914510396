/** The most frequent values of each property, with exact counts. The view shows those that are checked. */

import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import type { ObjectRecord } from '../api/ontology.ts'
import { messageOf } from '../api/service.ts'
import {
  differsInEachRow,
  FACET_VALUES,
  type Facet,
  facetChoice,
  facetProperties,
  facetQuery,
  isUseful,
} from '../queries/facet-query.ts'
import { useValueTitles } from '../queries/linked-titles.ts'
import { useSession } from '../session/session.tsx'
import { Icon } from '../ui/controls.tsx'
import { isOnlyOn } from '../view/filters.ts'
import { nameOfPath } from '../view/paths.ts'
import type { TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'

/** Values that a facet shows when its others are opened. */
const MORE_VALUES = 100
/** Facets that are open at first. */
const OPEN_FACETS = 3
/** Facets that are counted without being opened, to find out which are useful. */
const COUNTED_FACETS = 8

interface FacetsProps {
  readonly of: TypeView
  readonly setView: SetView
  /** Rows come first: nothing is counted before their version is known. */
  readonly canCount: boolean
  /** The first rows of the view. */
  readonly rows: readonly ObjectRecord[]
  /** A property without a facet: behind a link, all objects have the same foreign key. */
  readonly without?: string | undefined
  readonly className: string
}

export function Facets({ of, setView, canCount, rows, without, className }: FacetsProps) {
  const { ontology, objectType, view } = of
  const properties = useMemo(
    () =>
      facetProperties(ontology, objectType).filter(
        (property) =>
          view.filters.some((filter) => isOnlyOn(filter, property)) ||
          !differsInEachRow(rows, property),
      ),
    [ontology, objectType, view.filters, rows],
  )
  return (
    <nav className={`overflow-auto empty:hidden ${className}`} aria-label="Values">
      {properties
        .filter((property) => property !== without)
        .map((property, index) => (
          <FacetSection key={property} {...{ of, property, setView, canCount, index }} />
        ))}
    </nav>
  )
}

interface FacetSectionProps extends Omit<FacetsProps, 'rows' | 'without' | 'className'> {
  readonly property: string
  readonly index: number
}

function FacetSection({ of, property, setView, canCount, index }: FacetSectionProps) {
  const { service } = useSession()
  const [isOpen, setOpen] = useState(index < OPEN_FACETS)
  const [most, setMost] = useState(FACET_VALUES)
  const { data, error } = useQuery({
    ...facetQuery(service, of, property, most),
    enabled: canCount && (isOpen || index < COUNTED_FACETS),
    placeholderData: (last) => last,
  })
  const isFiltered = of.view.filters.some((filter) => isOnlyOn(filter, property))
  if (data !== undefined && !isUseful(data) && !isFiltered) return null
  return (
    <section>
      <button
        type="button"
        className="flex items-center gap-1.5 w-full py-1.5 px-1 border-0 bg-transparent text-muted text-sm text-left cursor-pointer"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'next'} size={12} />
        {nameOfPath(of.objectType, property)}
      </button>
      {isOpen && error !== null && (
        <p className="px-1.5 pt-0.5 pb-2 text-muted text-sm">{messageOf(error)}</p>
      )}
      {isOpen && error === null && data === undefined && (
        <p className="late px-1.5 pt-0.5 pb-2 text-muted text-sm">Counting…</p>
      )}
      {isOpen && data !== undefined && (
        <FacetValues
          {...{ of, property, setView }}
          facet={data}
          onMore={most < MORE_VALUES ? () => setMost(MORE_VALUES) : undefined}
        />
      )}
    </section>
  )
}

interface FacetValuesProps extends Pick<FacetsProps, 'of' | 'setView'> {
  readonly property: string
  readonly facet: Facet
  /** Counts more values; undefined once the maximum is counted. */
  readonly onMore: (() => void) | undefined
}

function FacetValues({ of, property, setView, facet, onMore }: FacetValuesProps) {
  const { values, others } = facet
  const { chosen, isExcluded, toggle } = facetChoice(of, property)
  const keys = useMemo(() => values.map(({ value }) => value), [values])
  const titleOf = useValueTitles(of, property, keys)
  if (values.length === 0) return <p className="px-1.5 pt-0.5 pb-2 text-muted text-sm">No values</p>
  const most = Math.max(...values.map(({ count }) => count))
  return (
    <ul className="mx-0 mt-0 mb-2 p-0 list-none">
      {values.map(({ value, count }) => (
        <li key={value}>
          <label
            className={`relative flex items-center gap-1.5 w-full h-6 py-0.5 px-1.5 rounded-sm text-base leading-5 cursor-pointer hover:bg-raised has-checked:text-accent has-checked:font-semibold ${chosen.has(value) && isExcluded ? 'line-through' : ''}`}
            title={titleOf(value) ?? value}
          >
            <i
              className="absolute left-0 bottom-0 h-0.5 bg-accent opacity-35"
              style={{ width: `${(100 * count) / most}%` }}
            />
            <input
              type="checkbox"
              className="flex-none m-0 size-3.5 accent-accent"
              checked={chosen.has(value)}
              onChange={() => setView({ filters: toggle(value) })}
            />
            <span className="truncate">{titleOf(value) ?? (value || '(empty text)')}</span>
            {titleOf(value) !== undefined && <span className="text-muted text-sm">{value}</span>}
            <span className="ml-auto text-muted tabular-nums">{formatCount(count)}</span>
          </label>
        </li>
      ))}
      {others > 0 && (
        <li>
          <button
            type="button"
            className="relative flex items-baseline gap-1.5 w-full h-6 py-0.5 px-1.5 border-0 rounded-sm bg-transparent text-base leading-5 text-left cursor-pointer text-muted disabled:cursor-default hover:bg-raised"
            disabled={onMore === undefined}
            title={onMore && 'Show more values'}
            onClick={onMore}
          >
            <span className="truncate">{onMore === undefined ? 'others' : 'others…'}</span>
            <span className="ml-auto text-muted tabular-nums">{formatCount(others)}</span>
          </button>
        </li>
      )}
    </ul>
  )
}
