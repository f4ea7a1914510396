import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findType, type LinkSide, wordsOf } from '../api/ontology.ts'
import { keyText, type ObjectRecord } from '../api/records.ts'
import { messageOf } from '../api/service.ts'
import { linkCountQuery, linkedQuery, type ObjectAddress } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { formatCount } from '../ui/format.ts'
import { addressOf, searchOf, type TrailStep, toLink, writeStep } from '../view/trail.ts'
import styles from './links.module.css'

export interface LinkListProps {
  readonly address: ObjectAddress
  readonly link: LinkSide
  readonly record: ObjectRecord
  readonly trail: readonly TrailStep[]
  /** The list that the object was opened from. */
  readonly list: string
}

/** A link: how many objects it leads to, the first of them, and the way to all. */
export function LinkList({ address, link, record, trail, list }: LinkListProps) {
  const { service } = useSession()
  const { ontology, objectType, key } = address
  const target = findType(ontology, link.target)
  const isMany = link.cardinality === 'many'
  const { data, error } = useQuery({
    ...linkedQuery(service, address, link, target ?? objectType),
    enabled: target !== undefined,
  })
  const { data: count } = useQuery({
    ...linkCountQuery(service, address, link, { record, target: target ?? objectType }),
    enabled: target !== undefined && isMany,
  })
  if (target === undefined) return null
  const step: TrailStep = { type: objectType.apiName, key, link: link.apiName, list }
  const name = wordsOf(link.apiName)
  const all = addressOf(ontology.apiName, step, searchOf('', trail))
  const search = searchOf('', [...trail, step])
  return (
    <section className={styles.link}>
      <h2>
        {isMany ? (
          <Link {...toLink(all)} className={styles.all}>
            {name}{' '}
            <span className={styles.count}>{count === undefined ? '…' : formatCount(count)}</span>
            <span aria-hidden="true"> ▸</span>
          </Link>
        ) : (
          <span className={styles.all}>{name}</span>
        )}
      </h2>
      {error !== null && <p className={styles.none}>{messageOf(error)}</p>}
      {data?.length === 0 && <p className={styles.none}>None</p>}
      <ul>
        {data?.map((each) => {
          const one = { type: link.target, key: keyText(each.key) }
          return (
            <li key={writeStep({ ...step, key: one.key })}>
              <Link {...toLink(addressOf(ontology.apiName, one, search))}>
                {each.title ?? one.key}
              </Link>{' '}
              {each.title !== undefined && each.title !== one.key && (
                <span className={styles.key}>{one.key}</span>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
