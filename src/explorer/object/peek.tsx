/** An object beside the table, for a look without leaving it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ObjectAddress, objectPath, objectQuery } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { PropertyList } from './property-list.tsx'

export interface PeekProps {
  readonly address: ObjectAddress
  readonly onClose: () => void
}

export function Peek({ address, onClose }: PeekProps) {
  const { service } = useSession()
  const { data, error } = useQuery(objectQuery(service, address))
  return (
    <aside
      className="w-90 flex-none p-3 border-l border-l-line bg-panel overflow-auto max-[900px]:absolute max-[900px]:top-0 max-[900px]:right-0 max-[900px]:bottom-0 max-[900px]:left-auto max-[900px]:w-[min(360px,100%)] max-[900px]:z-3 peek"
      aria-label={`Object ${address.key}`}
    >
      <header className="flex justify-between items-center gap-2 mb-2">
        <Link to={objectPath(address)}>
          <strong>{data?.record.title ?? address.key}</strong>
        </Link>
        <Button kind="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="close" size={14} />
        </Button>
      </header>
      {error !== null && <ErrorNote error={error} />}
      {data !== undefined && <PropertyList {...address} record={data.record} />}
    </aside>
  )
}
