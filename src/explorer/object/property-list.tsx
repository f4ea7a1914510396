import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import {
  findType,
  keyText,
  type LinkSide,
  linksOf,
  nameOfProperty,
  type ObjectRecord,
  type ObjectTypeDefinition,
  type PropertyDefinition,
  typeNote,
  wordsOf,
} from '../api/ontology.ts'
import { messageOf } from '../api/service.ts'
import { titleIn, useLinkedTitles } from '../queries/linked-titles.ts'
import { linkedQuery, type ObjectAddress, objectPath } from '../queries/object-queries.ts'
import { type ListBeside, useLiveObject } from '../queries/use-changes.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { useSession } from '../session/session.tsx'
import { ErrorNote, Icon, IconButton } from '../ui/controls.tsx'
import { addressOf, searchOf, type TrailStep, toLink, writeStep } from '../view/trail.ts'
import type { ShownType } from '../view/type-view.ts'
import { Value } from './value.tsx'

export interface PropertyListProps extends ShownType {
  readonly record: ObjectRecord
  /** The properties that have just changed. */
  readonly changed?: ReadonlySet<string>
  /** The steps to a linked object. */
  readonly trailTo?: (link: LinkSide) => readonly TrailStep[]
}

const NONE: ReadonlySet<string> = new Set()

/** Properties in the order of the definition; those without a value come last. */
export function PropertyList(props: PropertyListProps) {
  const { ontology, objectType, record, changed = NONE, trailTo = () => [] } = props
  const links = useMemo(
    () =>
      linksOf(ontology, objectType.apiName).flatMap((link) => {
        const value = link.cardinality === 'one' ? record.properties[link.foreignKey] : undefined
        return value === undefined || value === null
          ? []
          : [{ link, type: link.target, key: String(value) }]
      }),
    [ontology, objectType, record],
  )
  const titles = useLinkedTitles(ontology, links)
  // One object is no reason to read the values of all.
  const styleOf = useNumberStyles({ ontology, objectType }, { canRead: false })
  const renderValue = (name: string, definition: PropertyDefinition) => {
    const linked = links.find(({ link }) => link.foreignKey === name)
    if (linked === undefined) {
      return <Value value={record.properties[name]} type={definition} style={styleOf(name)} />
    }
    const { type, key } = linked
    const address = addressOf(ontology.apiName, { type, key }, searchOf('', trailTo(linked.link)))
    const title = titleIn(titles, linked)
    return (
      <>
        <Link {...toLink(address)}>{title ?? key}</Link>
        {title !== undefined && <span className="ml-1.5 text-muted text-sm">{key}</span>}
      </>
    )
  }
  // A value that comes or goes while the object is open moves nothing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order of the state that was read first
  const sorted = useMemo(() => {
    const entries = Object.entries(objectType.properties)
    const isMissing = ([name]: (typeof entries)[number]) =>
      (record.properties[name] ?? undefined) === undefined
    return [...entries.filter((entry) => !isMissing(entry)), ...entries.filter(isMissing)]
  }, [objectType])
  return (
    <dl className="m-0 border border-line rounded-lg bg-panel">
      {sorted.map(([name, definition]) => (
        <div
          key={name}
          data-changed={changed.has(name) || undefined}
          className="grid transition-colors duration-(--motion) data-changed:bg-accent-bg data-changed:shadow-[inset_3px_0_0_var(--color-accent)] grid-cols-[160px_minmax(0,1fr)] gap-3 items-baseline py-1.5 px-3 max-[760px]:grid-cols-[104px_minmax(0,1fr)] max-[760px]:gap-2 not-first:border-t not-first:border-t-line in-[.peek]:grid-cols-[110px_minmax(0,1fr)]"
        >
          <dt
            className="label"
            title={definition.description ?? `${name}: ${typeNote(definition)}`}
          >
            {nameOfProperty(name, definition)}
          </dt>
          <dd className="data m-0 wrap-anywhere">{renderValue(name, definition)}</dd>
        </div>
      ))}
    </dl>
  )
}

export interface LinkListProps {
  readonly address: ObjectAddress
  readonly link: LinkSide
  readonly record: ObjectRecord
  /** The way to the objects at the link. */
  readonly trail: readonly TrailStep[]
}

/** A link: how many objects it leads to, the first of them, and the way to all. */
export function LinkList({ address, link, record, trail }: LinkListProps) {
  const { service } = useSession()
  const { ontology, objectType } = address
  const target = findType(ontology, link.target)
  const isMany = link.cardinality === 'many'
  const { data, error } = useQuery({
    ...linkedQuery(service, { ontology, objectType: target ?? objectType }, link, record),
    enabled: target !== undefined,
  })
  const step = trail.at(-1)
  if (target === undefined || step === undefined) return null
  const name = wordsOf(link.apiName)
  const all = addressOf(ontology.apiName, step, searchOf('', trail.slice(0, -1)))
  const search = searchOf('', trail)
  return (
    <section className="p-3 border border-line rounded-lg bg-panel">
      <h2 className="text-base leading-5 font-semibold">
        {isMany ? (
          <Link {...toLink(all)} className="inline-flex items-center gap-1 text-inherit">
            {name}
            <span className="font-normal tabular-nums">
              {data === undefined ? '…' : formatCount(data.count)}
            </span>
            <Icon name="next" size={12} />
          </Link>
        ) : (
          <span className="text-inherit">{name}</span>
        )}
      </h2>
      {error !== null && <p className="text-muted text-sm">{messageOf(error)}</p>}
      {data?.count === 0 && <p className="text-muted text-sm">None</p>}
      <ul className="mt-1 mb-0 mx-0 p-0 list-none text-base leading-5.5">
        {data?.records.map((each) => {
          const one = { type: link.target, key: keyText(each.key) }
          return (
            <li key={writeStep({ ...step, key: one.key })} className="wrap-anywhere">
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

export interface LiveNoteProps {
  readonly objectType: ObjectTypeDefinition
  /** True if the values are the last known ones of an object that has been deleted. */
  readonly isDeleted: boolean
  /** The properties that have just changed. */
  readonly changed: ReadonlySet<string>
}

/** Says what happened to an object while it was open. Changed values are marked where they are. */
export function LiveNote({ objectType, isDeleted, changed }: LiveNoteProps) {
  const names = [...changed].map((name) => nameOfProperty(name, objectType.properties[name]))
  return (
    // The region is there before it has something to say: others are not read out.
    <span role="status" className="text-danger text-base font-medium">
      {isDeleted && <span title="These are the last known values.">was deleted</span>}
      {names.length > 0 && <span className="sr-only">Changed: {names.join(', ')}</span>}
    </span>
  )
}

interface PeekProps {
  readonly address: ObjectAddress
  /** The list that the object is in. */
  readonly list: ListBeside
  readonly onClose: () => void
}

/** An object beside the table, for a look without leaving it. */
export function Peek({ address, list, onClose }: PeekProps) {
  const { data, error, isDeleted, changed } = useLiveObject(address, list)
  return (
    <aside
      className="w-90 flex-none p-3 border-l border-l-line bg-panel overflow-auto max-[900px]:absolute max-[900px]:top-0 max-[900px]:right-0 max-[900px]:bottom-0 max-[900px]:left-auto max-[900px]:w-[min(360px,100%)] max-[900px]:z-3 peek"
      aria-label={`Object ${address.key}`}
    >
      <header className="flex justify-between items-center gap-2 mb-2">
        <Link to={objectPath(address)}>
          <strong>{data?.record.title ?? address.key}</strong>
        </Link>
        <LiveNote objectType={address.objectType} isDeleted={isDeleted} changed={changed} />
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {error !== null && !isDeleted && <ErrorNote error={error} />}
      {data !== undefined && (
        <PropertyList {...address} key={address.key} record={data.record} changed={changed} />
      )}
    </aside>
  )
}
