import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findType, type LinkSide, wordsOf } from '../api/ontology.ts'
import { keyText, type ObjectRecord } from '../api/records.ts'
import { messageOf } from '../api/service.ts'
import { linkCountQuery, linkedQuery, type ObjectAddress } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { formatCount } from '../ui/format.ts'
import { addressOf, searchOf, type TrailStep, toLink, writeStep } from '../view/trail.ts'

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
    <section className="p-3 border border-line rounded-lg bg-panel">
      <h2 className="text-base leading-5 font-semibold">
        {isMany ? (
          <Link {...toLink(all)} className="text-inherit">
            {name}{' '}
            <span className="font-normal tabular-nums">
              {count === undefined ? '…' : formatCount(count)}
            </span>
            <span aria-hidden="true"> ▸</span>
          </Link>
        ) : (
          <span className="text-inherit">{name}</span>
        )}
      </h2>
      {error !== null && <p className="text-muted text-sm">{messageOf(error)}</p>}
      {data?.length === 0 && <p className="text-muted text-sm">None</p>}
      <ul className="mt-1 mb-0 mx-0 p-0 list-none text-base leading-5.5">
        {data?.map((each) => {
          const one = { type: link.target, key: keyText(each.key) }
          return (
            <li key={writeStep({ ...step, key: one.key })} className="truncate">
              <Link {...toLink(addressOf(ontology.apiName, one, search))}>
                {each.title ?? one.key}
              </Link>{' '}
              {each.title !== undefined && each.title !== one.key && (
                <span className="text-muted text-sm">{one.key}</span>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
