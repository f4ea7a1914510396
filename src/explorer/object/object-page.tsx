import { useQuery } from '@tanstack/react-query'
import { linksOf } from '../api/ontology.ts'
import { type ObjectRecord, positionOf } from '../api/records.ts'
import { statusOf } from '../api/service.ts'
import { type LoadedObject, type ObjectAddress, objectQuery } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { formatValue } from '../ui/format-value.ts'
import { pointProperty } from '../view/conditions.ts'
import { type ObjectView, useObjectView } from '../view/object-address.ts'
import { listText } from '../view/trail.ts'
import { CompareObjects, CompareStates } from './compare.tsx'
import { DeletedObject } from './deleted-object.tsx'
import { LinkList } from './link-list.tsx'
import { ObjectHead } from './object-head.tsx'
import { PropertyList } from './property-list.tsx'
import { SmallMap } from './small-map.tsx'

export function ObjectPage({ address }: { readonly address: ObjectAddress }) {
  const { service } = useSession()
  const [view, setView] = useObjectView()
  const { data, error, refetch } = useQuery(objectQuery(service, address))
  const isGone = statusOf(error) === 404
  return (
    <article className="max-w-295 my-0 mx-auto p-4">
      <ObjectHead address={address} record={data?.record} view={view} setView={setView} />
      {isGone && <DeletedObject address={address} view={view} />}
      {error !== null && !isGone && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Outlines />}
      {data !== undefined && !isGone && (
        <Content address={address} object={data} view={view} onRefresh={() => void refetch()} />
      )}
    </article>
  )
}

interface ContentProps {
  readonly address: ObjectAddress
  readonly object: LoadedObject
  readonly view: ObjectView
  readonly onRefresh: () => void
}

function Content({ address, object, view, onRefresh }: ContentProps) {
  if (view.isJson) return <Json text={object.json} />
  if (view.with !== undefined) {
    return <CompareObjects address={address} record={object.record} otherKey={view.with} />
  }
  return (
    <>
      {view.version !== undefined && (
        <CompareStates
          address={address}
          latest={object.record}
          version={view.version}
          onRefresh={onRefresh}
        />
      )}
      <Properties address={address} record={object.record} view={view} />
    </>
  )
}

function Properties({
  address,
  record,
  view,
}: Omit<ContentProps, 'object' | 'onRefresh'> & { readonly record: ObjectRecord }) {
  const { ontology, objectType } = address
  const links = linksOf(ontology, objectType.apiName)
  return (
    <div className="grid grid-cols-[minmax(0,2fr)_minmax(260px,1fr)] gap-4 items-start max-[760px]:grid-cols-[minmax(0,1fr)]">
      <PropertyList
        ontology={ontology}
        objectType={objectType}
        record={record}
        trailTo={(link) => [
          ...view.trail,
          {
            type: objectType.apiName,
            key: address.key,
            link: link.apiName,
            list: listText(view.list),
          },
        ]}
      />
      <aside className="grid gap-3 content-start" aria-label="Map and links">
        <ObjectMap address={address} record={record} />
        {links.map((link) => (
          <LinkList
            key={link.apiName}
            address={address}
            link={link}
            record={record}
            trail={view.trail}
            list={listText(view.list)}
          />
        ))}
      </aside>
    </div>
  )
}

function ObjectMap({
  address: { objectType },
  record,
}: {
  readonly address: ObjectAddress
  readonly record: ObjectRecord
}) {
  const property = pointProperty(objectType)
  const value = property === undefined ? undefined : record.properties[property]
  const position = positionOf(value)
  if (position === undefined) return null
  const [longitude, latitude] = position
  const label = formatValue(value, { type: 'geopoint' }) ?? ''
  return <SmallMap longitude={longitude} latitude={latitude} label={label} />
}

/** The bytes as they came, not what was parsed from them. */
function Json({ text }: { readonly text: string }) {
  return (
    <section className="grid gap-2 justify-items-start" aria-label="JSON">
      <CopyButton text={text} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus */}
      <pre className="mono code-block w-full" tabIndex={0}>
        {text}
      </pre>
    </section>
  )
}

function Outlines() {
  return (
    <div
      className="grid grid-cols-[minmax(0,2fr)_minmax(260px,1fr)] gap-4 items-start max-[760px]:grid-cols-[minmax(0,1fr)]"
      aria-busy="true"
    >
      <div className="h-60 rounded-lg bg-raised" />
      <div className="h-60 rounded-lg bg-raised" />
      <p className="visually-hidden">Loading…</p>
    </div>
  )
}
