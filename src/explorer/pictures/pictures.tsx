/** A picture for each property: how its values are distributed over all objects of the view. */
import { useQuery } from '@tanstack/react-query'
import { wordsOf } from '../api/ontology.ts'
import type { FacetOf } from '../facets/facet-query.ts'
import { useSession } from '../shell/session.tsx'
import { formatCount } from '../ui/format.ts'
import type { SetView } from '../view/use-view.ts'
import type { Filter } from '../view/view-state.ts'
import { scalarOf } from '../view/where.ts'
import { Chart } from './chart.tsx'
import { distributionQuery, hasPicture } from './distribution.ts'
import styles from './pictures.module.css'

export interface PicturesProps {
  readonly of: FacetOf
  readonly setView: SetView
}

export function Pictures({ of, setView }: PicturesProps) {
  const { properties, primaryKey, titleProperty } = of.objectType
  const names = Object.keys(properties).filter(
    (name) =>
      name !== primaryKey && name !== titleProperty && hasPicture(scalarOf(of.objectType, name)),
  )
  return (
    <div className={styles.pictures}>
      {names.map((name) => (
        <Picture key={name} of={of} property={name} setView={setView} />
      ))}
    </div>
  )
}

function Picture({ of, property, setView }: PicturesProps & { readonly property: string }) {
  const { send } = useSession()
  const { data, error } = useQuery(distributionQuery(send, of, property))
  const name = of.objectType.properties[property]?.displayName ?? wordsOf(property)
  const choose = (chosen: readonly Filter[]) => {
    const others = of.view.filters.filter(({ field }) => field !== property)
    setView({ filters: [...others, ...chosen] })
  }
  return (
    <section className={styles.picture} aria-label={name}>
      <h2 className="label">{name}</h2>
      {error !== null && <p className="label">{error.message}</p>}
      {data === undefined && error === null && <div className={styles.outline} />}
      {data !== undefined && data.bars.length === 0 && <p className="label">No values</p>}
      {data !== undefined && data.bars.length > 0 && (
        <Chart label={name} distribution={data} onChoose={choose} />
      )}
      {data !== undefined && data.missing > 0 && (
        <p className="label">{formatCount(data.missing)} objects have no value.</p>
      )}
    </section>
  )
}
