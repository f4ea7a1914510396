/** The most frequent values of each property, with exact counts. Pressing one filters. */

import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { linkAt, nameOfProperty } from '../api/ontology.ts'
import { messageOf } from '../api/service.ts'
import {
  FACET_VALUES,
  type Facet,
  facetOperator,
  facetProperties,
  facetQuery,
  isUseful,
} from '../queries/facet-query.ts'
import { titleIn } from '../queries/linked-titles.ts'
import { useLinkedTitles } from '../queries/use-linked-titles.ts'
import { useSession } from '../session/session.tsx'
import { formatCount } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import type { TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import styles from './facets.module.css'

/** Values that a facet shows when its others are opened. */
const MORE_VALUES = 100
/** Facets that are open at first. */
const OPEN_FACETS = 3
/** Facets that are counted without being opened, to find out which are useful. */
const COUNTED_FACETS = 8

interface FacetsProps {
  readonly of: TypeView
  readonly setView: SetView
  /** Rows come first: nothing is counted before they are shown. */
  readonly canCount: boolean
}

interface FacetRailProps extends FacetsProps {
  /** A property without a facet: behind a link, all objects have the same foreign key. */
  readonly without?: string | undefined
}

export function Facets({ of, setView, canCount, without }: FacetRailProps) {
  const properties = facetProperties(of.ontology, of.objectType)
  return (
    <nav className={styles.rail} aria-label="Values">
      {properties
        .filter((property) => property !== without)
        .map((property, index) => (
          <FacetSection
            key={property}
            of={of}
            property={property}
            setView={setView}
            canCount={canCount}
            index={index}
          />
        ))}
    </nav>
  )
}

interface FacetSectionProps extends FacetsProps {
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
  const isFiltered = of.view.filters.some(({ field }) => field === property)
  if (data !== undefined && !isUseful(data) && !isFiltered) return null
  return (
    <section>
      <button
        type="button"
        className={styles.head}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'next'} size={12} />
        {nameOfProperty(property, of.objectType.properties[property])}
      </button>
      {isOpen && error !== null && <p className={styles.note}>{messageOf(error)}</p>}
      {isOpen && error === null && data === undefined && <p className={styles.note}>Counting…</p>}
      {isOpen && data !== undefined && (
        <FacetValues
          of={of}
          property={property}
          setView={setView}
          facet={data}
          onMore={most < MORE_VALUES ? () => setMost(MORE_VALUES) : undefined}
        />
      )}
    </section>
  )
}

interface FacetValuesProps extends Omit<FacetsProps, 'canCount'> {
  readonly property: string
  readonly facet: Facet
  /** Counts more values; undefined once the maximum is counted. */
  readonly onMore: (() => void) | undefined
}

function FacetValues({ of, property, setView, facet, onMore }: FacetValuesProps) {
  const { filters } = of.view
  const { values, others } = facet
  const operator = facetOperator(of.objectType, property)
  const chosen = filters.find((filter) => filter.field === property && filter.operator === operator)
  const target = linkAt(of.ontology, of.objectType.apiName, property)?.target
  const wanted = useMemo(
    () => (target === undefined ? [] : values.map(({ value }) => ({ type: target, key: value }))),
    [target, values],
  )
  const titles = useLinkedTitles(of.ontology, wanted)
  const titleOf = (key: string) =>
    target === undefined ? undefined : titleIn(titles, { type: target, key })
  if (values.length === 0) return <p className={styles.note}>No values</p>
  const most = Math.max(...values.map(({ count }) => count))
  const choose = (value: string) => {
    const rest = filters.filter((filter) => filter !== chosen)
    const isChosen = chosen?.value === value
    setView({ filters: isChosen ? rest : [...rest, { field: property, operator, value }] })
  }
  return (
    <ul className={styles.values}>
      {values.map(({ value, count }) => (
        <li key={value}>
          <button
            type="button"
            aria-pressed={chosen?.value === value}
            className={styles.value}
            title={titleOf(value) ?? value}
            onClick={() => choose(value)}
          >
            <i className={styles.share} style={{ width: `${(100 * count) / most}%` }} />
            <FacetName value={value} title={titleOf(value)} />
            <span className={styles.count}>{formatCount(count)}</span>
          </button>
        </li>
      ))}
      {others > 0 && (
        <li>
          <button
            type="button"
            className={`${styles.value} ${styles.others}`}
            disabled={onMore === undefined}
            title={onMore && 'Show more values'}
            onClick={onMore}
          >
            <span className={styles.name}>{onMore === undefined ? 'others' : 'others…'}</span>
            <span className={styles.count}>{formatCount(others)}</span>
          </button>
        </li>
      )}
    </ul>
  )
}

function FacetName({
  value,
  title,
}: {
  readonly value: string
  readonly title?: string | undefined
}) {
  if (title === undefined) {
    return <span className={styles.name}>{value === '' ? '(empty text)' : value}</span>
  }
  return (
    <>
      <span className={styles.name}>{title}</span>
      <span className={styles.key}>{value}</span>
    </>
  )
}
