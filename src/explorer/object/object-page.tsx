import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { screenPath } from '../api/base-path.ts'
import { type LinkSide, linksOf, nameOf, type ObjectRecord, positionOf } from '../api/ontology.ts'
import { statusOf } from '../api/service.ts'
import { Outlines } from '../map/outlines.tsx'
import { DefinitionScreen } from '../queries/definition-screen.tsx'
import { type ObjectAddress, stateQuery } from '../queries/object-queries.ts'
import { useLiveObject } from '../queries/use-changes.ts'
import { useSession } from '../session/session.tsx'
import { CopyButton, ErrorNote } from '../ui/controls.tsx'
import { formatValue } from '../ui/format-value.ts'
import { listText, searchOf, toLink } from '../view/trail.ts'
import { pointProperty } from '../view/type-view.ts'
import { type ObjectView, useObjectView } from '../view/use-view.ts'
import { CompareObjects, CompareStates } from './compare.tsx'
import { ObjectHead } from './object-head.tsx'
import { LinkList, PropertyList } from './property-list.tsx'

export function ObjectScreen() {
  return (
    <DefinitionScreen>
      {(address) => (
        <ObjectPage key={`${address.objectType.rid} ${address.key}`} address={address} />
      )}
    </DefinitionScreen>
  )
}

const PARTS =
  'grid grid-cols-[minmax(0,2fr)_minmax(260px,1fr)] gap-4 items-start max-[760px]:grid-cols-[minmax(0,1fr)]'

function ObjectPage({ address }: { readonly address: ObjectAddress }) {
  const [view, setView] = useObjectView()
  const { data, error, refetch, isDeleted, changed } = useLiveObject(address)
  const isGone = statusOf(error) === 404
  // What has been deleted while it was open stays on the screen.
  const { record, json } = data ?? {}
  const isCompared = view.with !== undefined
  return (
    <article className="max-w-295 my-0 mx-auto p-4">
      <ObjectHead {...{ address, record, isDeleted, changed, view, setView }} />
      {isGone && !isDeleted && <DeletedObject address={address} view={view} />}
      {error !== null && !isGone && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && (
        <div className={`late ${PARTS}`} aria-busy="true">
          <div className="h-60 rounded-lg bg-raised" />
          <div className="h-60 rounded-lg bg-raised" />
          <p className="sr-only">Loading…</p>
        </div>
      )}
      {json !== undefined && view.isJson && <Json text={json} />}
      {record !== undefined && !view.isJson && view.with !== undefined && (
        <CompareObjects address={address} record={record} otherKey={view.with} />
      )}
      {record !== undefined && !view.isJson && !isCompared && (
        <>
          {view.version !== undefined && (
            <CompareStates
              address={address}
              latest={record}
              version={view.version}
              onRefresh={() => void refetch()}
            />
          )}
          <Properties {...{ address, record, changed, view }} />
        </>
      )}
    </article>
  )
}

interface ShownProps {
  readonly address: ObjectAddress
  readonly view: ObjectView
}

interface PropertiesProps extends ShownProps {
  readonly record: ObjectRecord
  readonly changed: ReadonlySet<string>
}

function Properties({ address, record, changed, view }: PropertiesProps) {
  const { ontology, objectType, key } = address
  const trailTo = ({ apiName: link }: LinkSide) => [
    ...view.trail,
    { type: objectType.apiName, key, link, list: listText(view.list) },
  ]
  const point = record.properties[pointProperty(objectType) ?? '']
  return (
    <div className={PARTS}>
      <PropertyList {...address} record={record} changed={changed} trailTo={trailTo} />
      <aside
        className="grid grid-cols-[minmax(0,1fr)] gap-3 content-start"
        aria-label="Map and links"
      >
        <SmallMap point={point} />
        {linksOf(ontology, objectType.apiName).map((link) => (
          <LinkList key={link.apiName} {...{ address, link, record }} trail={trailTo(link)} />
        ))}
      </aside>
    </div>
  )
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

/** In place of an object that does not exist, or no longer. */
function DeletedObject({ address, view }: ShownProps) {
  const { service } = useSession()
  const { ontology, objectType, key } = address
  const { data } = useQuery({
    ...stateQuery(service, address, view.version ?? 0),
    enabled: view.version !== undefined,
  })
  const list = {
    path: screenPath(ontology.apiName, objectType.apiName),
    search: searchOf(listText(view.list), []),
  }
  const record = data?.record
  return (
    <section>
      <div
        role="alert"
        className={`grid gap-2 justify-items-start mb-4 p-4 border border-line rounded-lg ${record === undefined ? 'bg-panel' : 'border-l-3 border-l-snapshot bg-snapshot-bg'}`}
      >
        <p>
          {record === undefined
            ? `There is no ${nameOf(objectType)} with the key “${key}”. It was deleted, or it never existed.`
            : `This object was deleted. Below is what is last known of it, from the snapshot of version ${data?.version ?? 0}.`}
        </p>
        <Link {...toLink(list)}>Back to the list</Link>
      </div>
      {record !== undefined && <PropertyList {...address} record={record} />}
    </section>
  )
}

const WIDTH = 320
const HEIGHT = 180
/** Degrees of longitude that the map shows: enough to recognise a continent. */
const SPAN = 70

/** Where an object is; nothing if it has no position. */
function SmallMap({ point }: { readonly point: unknown }) {
  const position = positionOf(point)
  if (position === undefined) return null
  const [longitude, latitude] = position
  const middle = { cx: WIDTH / 2, cy: HEIGHT / 2 }
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="block w-full border border-line rounded-lg"
      role="img"
      aria-label={`Map: ${formatValue(point, { type: 'geopoint' })}`}
    >
      <Outlines camera={{ longitude, latitude, scale: WIDTH / SPAN }} size={[WIDTH, HEIGHT]} />
      <circle {...middle} r="11" className="fill-accent opacity-18" />
      <circle {...middle} r="4.5" className="fill-accent stroke-panel stroke-[1.5]" />
    </svg>
  )
}
