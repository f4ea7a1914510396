/** Asks before a token or a client is revoked: that cannot be undone. */
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useTask } from '../ui/use-task.ts'
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
  const { run, isBusy, error } = useTask()
  const revoke = () =>
    run(async () => {
      await service.connection.send(revokeRequest(kind, item.id))
      onClose()
      await client.invalidateQueries({ queryKey: ['admin', kind] })
    })
  return (
    <Dialog
      label={`Revoke ${item.name}`}
      title={`Revoke ${item.name}?`}
      width={520}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" disabled={isBusy} onClick={() => void revoke()}>
            Revoke
          </Button>
        </>
      }
    >
      <p>{children} This cannot be undone.</p>
      {error !== undefined && <ErrorNote error={error} />}
    </Dialog>
  )
}
