/** The way to an object, its title, its place in the list, and what can be done with it. */

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ServiceRequest } from '../../client/connection.ts'
import { formatCount } from '../../contract/count-of.ts'
import { findType, linksOf, nameOf } from '../api/ontology.ts'
import { keyText, type ObjectRecord } from '../api/records.ts'
import { messageOf, serviceUrl } from '../api/service.ts'
import { EditActions } from '../edit/edit-actions.tsx'
import {
  latestRequest,
  linkFilter,
  type ObjectAddress,
  readState,
  stateRequest,
} from '../queries/object-queries.ts'
import { toCurl, withoutToken } from '../request/request-text.ts'
import { useSession } from '../session/session.tsx'
import { Button, CopyButton, Icon } from '../ui/button.tsx'
import { Popup } from '../ui/dialog.tsx'
import { Segments, TextField } from '../ui/fields.tsx'
import { useKeys } from '../ui/use-keys.ts'
import { addressOf, listText, toLink } from '../view/trail.ts'
import { type ObjectView, type SetObjectView, writeObjectView } from '../view/use-view.ts'
import type { ViewState } from '../view/view-state.ts'
import { canFindNeighbours, type ListedObject, neighboursQuery } from './neighbours.ts'
import { TrailPath } from './trail-path.tsx'

export interface ObjectHeadProps {
  readonly address: ObjectAddress
  readonly record: ObjectRecord | undefined
  readonly view: ObjectView
  readonly setView: SetObjectView
}

export function ObjectHead({ address, record, view, setView }: ObjectHeadProps) {
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
        </div>
        <div className="flex flex-wrap gap-2 items-center">
          {record !== undefined && list !== undefined && (
            <ListPosition listed={{ ontology, objectType, list, record }} view={view} />
          )}
          <CompareMenu address={address} setView={setView} />
          <ObjectRequests address={address} view={view} />
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

interface CompareMenuProps {
  readonly address: ObjectAddress
  readonly setView: SetObjectView
}

function CompareMenu({ address, setView }: CompareMenuProps) {
  return (
    <Popup label="Compare" panelLabel="Compare this object">
      {(close) => (
        <CompareForm
          address={address}
          setView={(change) => {
            close()
            setView(change)
          }}
        />
      )}
    </Popup>
  )
}

function CompareForm({ address, setView }: CompareMenuProps) {
  const { service } = useSession()
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const takeSnapshot = async () => {
    try {
      const { version } = await readState(service, address, undefined)
      setView({ version, with: undefined, isJson: false })
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <form
      className="grid gap-3 w-[min(320px,90vw)] p-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (key !== '') setView({ with: key, version: undefined, isJson: false })
      }}
    >
      <TextField label="Key of another object" value={key} onChange={setKey} required />
      <Button type="submit" kind="primary">
        Compare both objects
      </Button>
      <hr className="w-full m-0 border-0 border-t border-t-line" />
      <p className="text-muted text-base leading-5">
        A snapshot keeps the state of now for an hour. The address then shows what changed since.
      </p>
      <Button onClick={() => void takeSnapshot()}>Take a snapshot</Button>
      {problem !== undefined && (
        <p role="alert" className="text-muted text-base leading-5">
          {problem}
        </p>
      )}
    </form>
  )
}

interface ObjectRequestsProps {
  readonly address: ObjectAddress
  readonly view: ObjectView
}

function ObjectRequests({ address, view }: ObjectRequestsProps) {
  return (
    <Popup label="Request" panelLabel="The requests behind this page">
      {() => (
        <div className="grid gap-2 w-[min(520px,92vw)] p-3">
          {requestsOf(address, view).map(({ name, request }) => (
            <Command key={name} name={name} request={request} />
          ))}
        </div>
      )}
    </Popup>
  )
}

interface NamedRequest {
  readonly name: string
  readonly request: ServiceRequest
}

function requestsOf(address: ObjectAddress, view: ObjectView): readonly NamedRequest[] {
  const { with: other, version } = view
  return [
    { name: 'The latest state', request: latestRequest(address) },
    ...(version === undefined
      ? []
      : [
          {
            name: `The snapshot, version ${version}`,
            request: stateRequest(address, version),
          },
        ]),
    ...(other === undefined
      ? []
      : [{ name: 'The other object', request: latestRequest({ ...address, key: other }) }]),
  ]
}

function Command({ name, request }: NamedRequest) {
  const { token = 'TOKEN' } = useSession()
  const text = toCurl(request, serviceUrl(), token)
  return (
    <>
      <p className="label">{name}</p>
      <pre className="mono code-block">{withoutToken(text, token)}</pre>
      <CopyButton text={text} />
    </>
  )
}

interface ListPositionProps {
  readonly listed: ListedObject
  readonly view: ObjectView
}

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
  useKeys({ '[': () => open(data?.previous), ']': () => open(data?.next) })
  if (data === undefined) return null
  return (
    <div className="flex items-center text-base tabular-nums text-muted">
      <Button
        kind="quiet"
        aria-label="Previous object"
        title="Previous object ( [ )"
        disabled={data.previous === undefined}
        onClick={() => open(data.previous)}
      >
        <Icon name="back" size={14} />
      </Button>
      <span>
        {formatCount(data.position)} of {formatCount(data.total)}
      </span>
      <Button
        kind="quiet"
        aria-label="Next object"
        title="Next object ( ] )"
        disabled={data.next === undefined}
        onClick={() => open(data.next)}
      >
        <Icon name="next" size={14} />
      </Button>
    </div>
  )
}
