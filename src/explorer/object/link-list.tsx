import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findType, type LinkSide, wordsOf } from '../api/ontology.ts'
import { keyText, type ObjectRecord } from '../api/records.ts'
import { useSession } from '../shell/session.tsx'
import { searchRecord } from '../view/search-record.ts'
import { EMPTY_VIEW } from '../view/view-state.ts'
import styles from './object.module.css'
import { linkedQuery, type ObjectAddress } from './object-queries.ts'

export interface LinkListProps {
  readonly address: ObjectAddress
  readonly link: LinkSide
  readonly record: ObjectRecord
}

/** The first objects of a link, and the way to all of them. */
export function LinkList({ address, link, record }: LinkListProps) {
  const { send } = useSession()
  const { ontology } = address
  const target = findType(ontology, link.target)
  const { data, error } = useQuery({
    ...linkedQuery(send, address, link, target ?? address.objectType),
    enabled: target !== undefined,
  })
  if (target === undefined) return null
  const list = `/o/${encodeURIComponent(ontology.apiName)}/${encodeURIComponent(link.target)}`
  // The objects of a link to many are those whose foreign key is the key of this object.
  const filter = { field: link.foreignKey, operator: 'eq' as const, value: keyText(record.key) }
  return (
    <section>
      <h2 className="label">{wordsOf(link.apiName)}</h2>
      {error !== null && <p className={styles.missing}>{error.message}</p>}
      {data?.records.length === 0 && <p className={styles.missing}>none</p>}
      <ul className={styles.items}>
        {data?.records.map((each) => (
          <li key={keyText(each.key)}>
            <Link to={`${list}/${encodeURIComponent(keyText(each.key))}` as '/'}>
              {each.title ?? keyText(each.key)}
            </Link>
          </li>
        ))}
      </ul>
      {data?.hasMore && (
        <Link to={list as '/'} search={searchRecord({ ...EMPTY_VIEW, filters: [filter] }) as never}>
          Show all
        </Link>
      )}
    </section>
  )
}
