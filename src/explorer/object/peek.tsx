/** An object beside the table, for a look without leaving it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ObjectAddress, objectPath, objectQuery } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './object.module.css'
import { PropertyList } from './property-list.tsx'

export interface PeekProps {
  readonly address: ObjectAddress
  readonly onClose: () => void
}

export function Peek({ address, onClose }: PeekProps) {
  const { service } = useSession()
  const { data, error } = useQuery(objectQuery(service, address))
  return (
    <aside className={styles.peek} aria-label={`Object ${address.key}`}>
      <header className={styles.peekHead}>
        <Link to={objectPath(address) as '/'}>
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
