import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  type LinkSide,
  linksOf,
  nameOfProperty,
  type ObjectTypeDefinition,
  type OntologyDefinition,
  type PropertyDefinition,
  typeNote,
} from '../api/ontology.ts'
import type { ObjectRecord } from '../api/records.ts'
import { titleIn } from '../queries/linked-titles.ts'
import { useLinkedTitles } from '../queries/use-linked-titles.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { addressOf, searchOf, type TrailStep, toLink } from '../view/trail.ts'
import { Value } from './value.tsx'

export interface PropertyListProps {
  readonly ontology: OntologyDefinition
  readonly objectType: ObjectTypeDefinition
  readonly record: ObjectRecord
  /** The steps to a linked object. */
  readonly trailTo?: (link: LinkSide) => readonly TrailStep[]
}

/** Properties in the order of the definition; those without a value come last. */
export function PropertyList(props: PropertyListProps) {
  const { ontology, objectType, record, trailTo = () => [] } = props
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
  const entries = Object.entries(objectType.properties)
  const isMissing = ([name]: (typeof entries)[number]) =>
    (record.properties[name] ?? undefined) === undefined
  const sorted = [...entries.filter((entry) => !isMissing(entry)), ...entries.filter(isMissing)]
  return (
    <dl className="m-0 border border-line rounded-lg bg-panel">
      {sorted.map(([name, definition]) => (
        <div
          key={name}
          className="grid grid-cols-[160px_minmax(0,1fr)] gap-3 items-baseline py-1.5 px-3 max-[760px]:grid-cols-[104px_minmax(0,1fr)] max-[760px]:gap-2 not-first:border-t not-first:border-t-line in-[.peek]:grid-cols-[110px_minmax(0,1fr)]"
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
