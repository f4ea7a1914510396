/** The requests behind the page of an object, as commands. */

import type { ServiceRequest } from '../../client/connection.ts'
import { serviceUrl } from '../api/service-url.ts'
import { latestRequest, type ObjectAddress, stateRequest } from '../queries/object-queries.ts'
import { toCurl, withoutToken } from '../request/request-text.ts'
import { useSession } from '../session/session.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Popup } from '../ui/popup.tsx'
import type { ObjectView } from '../view/object-address.ts'

export interface ObjectRequestsProps {
  readonly address: ObjectAddress
  readonly view: ObjectView
}

export function ObjectRequests({ address, view }: ObjectRequestsProps) {
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
