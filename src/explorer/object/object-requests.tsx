/** The requests behind the page of an object, as commands. */

import type { ApiRequest } from '../api/call.ts'
import { serviceUrl } from '../api/service-url.ts'
import { type ObjectAddress, objectRequest, stateRequest } from '../data/object-queries.ts'
import { toCurl, withoutToken } from '../request/request-text.ts'
import { useSession } from '../session/session.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Popup } from '../ui/popup.tsx'
import type { ObjectView } from '../view/object-address.ts'
import styles from './object-head.module.css'

export interface ObjectRequestsProps {
  readonly address: ObjectAddress
  readonly view: ObjectView
}

export function ObjectRequests({ address, view }: ObjectRequestsProps) {
  return (
    <Popup label="Request" panelLabel="The requests behind this page">
      {() => (
        <div className={styles.requests}>
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
  readonly request: ApiRequest
}

function requestsOf(address: ObjectAddress, view: ObjectView): readonly NamedRequest[] {
  const { with: other, version } = view
  return [
    { name: 'The latest state', request: objectRequest(address) },
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
      : [{ name: 'The other object', request: objectRequest({ ...address, key: other }) }]),
  ]
}

function Command({ name, request }: NamedRequest) {
  const { token = 'TOKEN' } = useSession()
  const text = toCurl(request, serviceUrl(), token)
  return (
    <>
      <p className="label">{name}</p>
      <pre className="mono">{withoutToken(text, token)}</pre>
      <CopyButton text={text} />
    </>
  )
}
