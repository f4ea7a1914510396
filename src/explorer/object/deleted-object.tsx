/** In place of an object that does not exist, or no longer. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { nameOf } from '../api/ontology.ts'
import { screenPath } from '../api/screen-path.ts'
import { type ObjectAddress, stateQuery } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import type { ObjectView } from '../view/object-address.ts'
import { listText, searchOf, toLink } from '../view/trail.ts'
import { PropertyList } from './property-list.tsx'

export interface DeletedObjectProps {
  readonly address: ObjectAddress
  readonly view: ObjectView
}

export function DeletedObject({ address, view }: DeletedObjectProps) {
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
        className={
          record === undefined
            ? 'grid gap-2 justify-items-start mb-4 p-4 border border-line rounded-lg bg-panel'
            : 'grid gap-2 justify-items-start mb-4 p-4 border border-line rounded-lg border-l-3 border-l-snapshot bg-snapshot-bg'
        }
      >
        {record === undefined ? (
          <p>
            There is no {nameOf(objectType)} with the key “{key}”. It was deleted, or it never
            existed.
          </p>
        ) : (
          <p>
            This object was deleted. Below is what is last known of it, from the snapshot of version{' '}
            {data?.version ?? 0}.
          </p>
        )}
        <Link {...toLink(list)}>Back to the list</Link>
      </div>
      {record !== undefined && (
        <PropertyList ontology={ontology} objectType={objectType} record={record} />
      )}
    </section>
  )
}
