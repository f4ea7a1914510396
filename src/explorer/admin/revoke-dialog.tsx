/** Asks before a token or a client is revoked: that cannot be undone. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import styles from './admin.module.css'
import { type Credential, type CredentialKind, revokeRequest } from './admin-queries.ts'

export interface RevokeDialogProps {
  readonly kind: CredentialKind
  readonly item: Credential
  /** A sentence about the tokens that end with it. */
  readonly children: ReactNode
  readonly onClose: () => void
}

export function RevokeDialog({ kind, item, children, onClose }: RevokeDialogProps) {
  const { service } = useSession()
  const client = useQueryClient()
  const dialog = useRef<HTMLDialogElement>(null)
  const [error, setError] = useState<Error>()
  const [isRevoking, setRevoking] = useState(false)
  useEffect(() => dialog.current?.showModal(), [])
  const revoke = async () => {
    setRevoking(true)
    setError(undefined)
    try {
      await service.connection.send(revokeRequest(kind, item.id))
      dialog.current?.close()
      await client.invalidateQueries({ queryKey: ['admin', kind] })
    } catch (reason) {
      setError(reason as Error)
      setRevoking(false)
    }
  }
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={`Revoke ${item.name}`}
      onClose={onClose}
    >
      <div className={styles.created}>
        <h2>Revoke {item.name}?</h2>
        <p>{children} This cannot be undone.</p>
        {error !== undefined && <ErrorNote error={error} />}
        <footer>
          <Button onClick={() => dialog.current?.close()}>Cancel</Button>
          <Button kind="danger" disabled={isRevoking} onClick={() => void revoke()}>
            Revoke
          </Button>
        </footer>
      </div>
    </dialog>
  )
}
