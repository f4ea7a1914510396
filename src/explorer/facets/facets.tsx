/** The left rail: the most frequent values of properties, with exact counts. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { wordsOf } from '../api/ontology.ts'
import { useSession } from '../shell/session.tsx'
import { formatCount } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import type { SetView } from '../view/use-view.ts'
import { type FacetOf, facetProperties, facetQuery } from './facet-query.ts'
import styles from './facets.module.css'

/** Facets that are open at first. */
const OPEN_FACETS = 3

export interface FacetsProps {
  readonly of: FacetOf
  readonly setView: SetView
}

export function Facets({ of, setView }: FacetsProps) {
  const properties = facetProperties(of.objectType)
  return (
    <nav className={styles.rail} aria-label="Values">
      {properties.map((property, index) => (
        <Facet
          key={property}
          of={of}
          property={property}
          setView={setView}
          isOpenAtFirst={index < OPEN_FACETS}
        />
      ))}
    </nav>
  )
}

interface FacetProps extends FacetsProps {
  readonly property: string
  readonly isOpenAtFirst: boolean
}

function Facet({ of, property, setView, isOpenAtFirst }: FacetProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const name = of.objectType.properties[property]?.displayName ?? wordsOf(property)
  return (
    <section>
      <button
        type="button"
        className={styles.head}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'next'} size={12} />
        {name}
      </button>
      {isOpen && <FacetValues of={of} property={property} setView={setView} />}
    </section>
  )
}

function FacetValues({ of, property, setView }: Omit<FacetProps, 'isOpenAtFirst'>) {
  const { send } = useSession()
  const { data, error } = useQuery(facetQuery(send, of, property))
  const { filters } = of.view
  const chosen = filters.find(({ field, operator }) => field === property && operator === 'eq')
  if (error !== null) return <p className={styles.note}>{error.message}</p>
  if (data === undefined) return <p className={styles.note}>Counting…</p>
  if (data.length === 0) return <p className={styles.note}>No values</p>
  const most = Math.max(...data.map(({ count }) => count))
  const choose = (value: string) => {
    const others = filters.filter((filter) => filter !== chosen)
    const isChosen = chosen?.value === value
    setView({
      filters: isChosen ? others : [...others, { field: property, operator: 'eq', value }],
    })
  }
  return (
    <ul className={styles.values}>
      {data.map(({ value, count }) => (
        <li key={value}>
          <button
            type="button"
            aria-pressed={chosen?.value === value}
            className={styles.value}
            onClick={() => choose(value)}
          >
            <i className={styles.share} style={{ width: `${(100 * count) / most}%` }} />
            <span className={styles.name}>{value}</span>
            <span className={styles.count}>{formatCount(count)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
