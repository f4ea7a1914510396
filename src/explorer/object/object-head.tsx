/** The way to an object, its title, its place in the list, and what can be done with it. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import { findType, keyText, linksOf, nameOf, type ObjectRecord } from '../api/ontology.ts'
import { messageOf, serviceUrl } from '../api/service.ts'
import { EditActions } from '../edit/edit-actions.tsx'
import { foundQuery } from '../queries/find-objects.ts'
import {
  latestRequest,
  linkFilter,
  type ObjectAddress,
  readState,
  stateRequest,
} from '../queries/object-queries.ts'
import { toCurl } from '../request/request-text.ts'
import { useSession } from '../session/session.tsx'
import { Button, CopyButton, IconButton, Mistake } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { Segments, submits, TextField } from '../ui/fields.tsx'
import { useKeys, useSettled, useTask } from '../ui/hooks.ts'
import { addressOf, listText, toLink } from '../view/trail.ts'
import { type ObjectView, type SetObjectView, writeObjectView } from '../view/use-view.ts'
import type { ViewState } from '../view/view-state.ts'
import { canFindNeighbours, type ListedObject, neighboursQuery } from './neighbours.ts'
import { LiveNote, type LiveNoteProps } from './property-list.tsx'
import { TrailPath } from './trail-path.tsx'

export interface ObjectHeadProps extends Pick<LiveNoteProps, 'isDeleted' | 'changed'> {
  readonly address: ObjectAddress
  readonly record: ObjectRecord | undefined
  readonly view: ObjectView
  readonly setView: SetObjectView
}

export function ObjectHead(props: ObjectHeadProps) {
  const { address, record, isDeleted, changed, view, setView } = props
  const { ontology, objectType, key } = address
  const title = record?.title ?? key
  const list = listWithin(address, view)
  return (
    <header className="grid gap-2 mb-4">
      <TrailPath
        ontology={ontology}
        type={objectType.apiName}
        trail={view.trail}
        list={listText(view.list)}
        here={title}
      />
      <div className="flex flex-wrap gap-y-2 gap-x-6 items-center justify-between">
        <div className="flex flex-wrap gap-y-0 gap-x-2 items-baseline wrap-anywhere">
          <h1>{title}</h1>
          <span className="text-muted text-base font-normal">
            {nameOf(objectType)} {key}
          </span>
          <LiveNote {...{ objectType, isDeleted, changed }} />
        </div>
        <div className="flex flex-wrap gap-2 items-center">
          {record !== undefined && list !== undefined && (
            <ListPosition listed={{ ontology, objectType, list, record }} view={view} />
          )}
          <Popup label="Compare" panelLabel="Compare this object">
            {(close) => <CompareForm address={address} setView={setView} close={close} />}
          </Popup>
          <Popup label="Request" panelLabel="The requests behind this page">
            {() => <Requests address={address} view={view} />}
          </Popup>
          <Segments
            label="Form"
            options={{ properties: 'Properties', json: 'JSON' }}
            value={view.isJson ? 'json' : 'properties'}
            onChange={(form) => setView({ isJson: form === 'json' }, { replace: true })}
          />
          {record !== undefined && <EditActions address={address} />}
        </div>
      </div>
    </header>
  )
}

/** Returns the list that the object is in, with the condition of the link that led to it. */
function listWithin(
  { ontology, objectType }: ObjectAddress,
  view: ObjectView,
): ViewState | undefined {
  const step = view.trail.at(-1)
  if (step === undefined) return view.list
  const source = findType(ontology, step.type)
  const link = linksOf(ontology, step.type).find(({ apiName }) => apiName === step.link)
  if (source === undefined || link?.cardinality !== 'many' || link.target !== objectType.apiName) {
    return undefined
  }
  const from = { key: step.key, title: undefined, properties: {} }
  return { ...view.list, filters: [...view.list.filters, linkFilter(link, from, objectType)] }
}

interface CompareFormProps extends Pick<ObjectHeadProps, 'address' | 'setView'> {
  readonly close: () => void
}

function CompareForm({ address, setView, close }: CompareFormProps) {
  const { service } = useSession()
  const [key, setKey] = useState('')
  const { run, error } = useTask()
  const wanted = useSettled(key.trim())
  const { data = [] } = useQuery({
    ...foundQuery(service, address, wanted),
    enabled: wanted.length > 1,
    placeholderData: keepPreviousData,
  })
  const found = key.trim() === '' ? [] : data.filter((object) => object.key !== address.key)
  const compare = (change: Partial<ObjectView>) => {
    close()
    setView({ with: undefined, version: undefined, isJson: false, ...change })
  }
  const takeSnapshot = async () => {
    compare({ version: (await readState(service, address, undefined)).version })
  }
  return (
    <form
      className="grid gap-3 w-[min(320px,90vw)] p-3"
      // A key that is not found may still exist: the page then says that it does not.
      onSubmit={submits(() => compare({ with: found[0]?.key ?? key.trim() }))}
    >
      <TextField label="Name or key of another object" value={key} onChange={setKey} required />
      {found.length > 0 && (
        <ul className="grid m-0 p-0 list-none" aria-label="Objects with this name">
          {found.map((object) => (
            <li key={object.key}>
              <Button
                kind="quiet"
                className="w-full justify-between text-left"
                onClick={() => compare({ with: object.key })}
              >
                <span className="min-w-0 truncate">{object.title}</span>
                <span className="text-muted text-sm">{object.key}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Button type="submit" kind="primary">
        Compare both objects
      </Button>
      <hr className="w-full m-0 border-0 border-t border-t-line" />
      <p className="text-muted text-base leading-5">
        A snapshot keeps the state of now, by default for a day. The address then shows what changed
        since.
      </p>
      <Button onClick={() => void run(takeSnapshot)}>Take a snapshot</Button>
      <Mistake>{error && messageOf(error)}</Mistake>
    </form>
  )
}

/** The requests behind the page, as commands. */
function Requests({ address, view }: Pick<ObjectHeadProps, 'address' | 'view'>) {
  const { with: key, version } = view
  const requests = {
    'The latest state': latestRequest(address),
    ...(version !== undefined && {
      [`The snapshot, version ${version}`]: stateRequest(address, version),
    }),
    ...(key !== undefined && { 'The other object': latestRequest({ ...address, key }) }),
  }
  return (
    <div className="grid gap-2 w-[min(520px,92vw)] p-3">
      {Object.entries(requests).map(([name, request]) => {
        const text = toCurl(request, serviceUrl())
        return (
          <Fragment key={name}>
            <p className="label">{name}</p>
            <pre className="mono code-block">{text}</pre>
            <CopyButton text={text} />
          </Fragment>
        )
      })}
    </div>
  )
}

interface ListPositionProps extends Pick<ObjectHeadProps, 'view'> {
  readonly listed: ListedObject
}

/** The position of an object in its list, with links to the previous and the next object. */
function ListPosition({ listed, view }: ListPositionProps) {
  const { service } = useSession()
  const navigate = useNavigate()
  const { ontology, objectType, list } = listed
  const { data } = useQuery({
    ...neighboursQuery(service, listed),
    enabled: canFindNeighbours(objectType, list.order),
  })
  const open = (record: ObjectRecord | undefined) => {
    if (record === undefined) return
    const search = writeObjectView({ ...view, with: undefined })
    const one = { type: objectType.apiName, key: keyText(record.key) }
    void navigate(toLink(addressOf(ontology.apiName, one, search)) as never)
  }
  const [previous, next] = [() => open(data?.previous), () => open(data?.next)]
  useKeys({ '[': previous, ']': next })
  if (data === undefined) return null
  return (
    <div className="flex items-center text-base tabular-nums text-muted">
      <IconButton
        icon="back"
        label="Previous object"
        title="Previous object ( [ )"
        disabled={data.previous === undefined}
        onClick={previous}
      />
      <span>
        {formatCount(data.position)} of {formatCount(data.total)}
      </span>
      <IconButton
        icon="next"
        label="Next object"
        title="Next object ( ] )"
        disabled={data.next === undefined}
        onClick={next}
      />
    </div>
  )
}
