/** Creates a token or a client, and shows its secret once. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ontologiesQuery } from '../api/queries.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import styles from './admin.module.css'
import { type CredentialKind, createRequest } from './admin-queries.ts'
import { bodyOf, EMPTY_DRAFT, mistakeOf } from './credential-draft.ts'
import { CredentialFields } from './credential-fields.tsx'
import { Secrets } from './secrets.tsx'

export interface CreateDialogProps {
  readonly kind: CredentialKind
  readonly onClose: () => void
}

/** The members of the response that are shown; the rest is in the list. */
interface Created {
  readonly id: string
  readonly name: string
  readonly token?: string
  readonly clientSecret?: string
}

export function CreateDialog({ kind, onClose }: CreateDialogProps) {
  const { service } = useSession()
  const client = useQueryClient()
  const dialog = useRef<HTMLDialogElement>(null)
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [hasTried, setTried] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<Error>()
  const [created, setCreated] = useState<Created>()
  const { data: ontologies = [] } = useQuery(ontologiesQuery(service))
  useEffect(() => dialog.current?.showModal(), [])
  const isClient = kind === 'clients'
  const mistake = mistakeOf(draft, isClient)
  const create = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (mistake !== undefined) return
    setSaving(true)
    setError(undefined)
    try {
      const request = createRequest(kind, bodyOf(draft, isClient))
      setCreated(await service.connection.send<Created>(request))
      void client.invalidateQueries({ queryKey: ['admin', kind] })
    } catch (reason) {
      setError(reason as Error)
    } finally {
      setSaving(false)
    }
  }
  const title = isClient ? 'New OAuth client' : 'New API token'
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={title}
      onClose={onClose}
      // Escape must not throw away a secret that nobody has copied yet.
      closedby={created === undefined ? 'closerequest' : 'none'}
      onKeyDown={(event) => {
        if (created !== undefined && event.key === 'Escape') event.preventDefault()
      }}
    >
      {created === undefined ? (
        <form onSubmit={(event) => void create(event)} noValidate>
          <h2>{title}</h2>
          <CredentialFields
            draft={draft}
            onChange={setDraft}
            isClient={isClient}
            ontologies={ontologies.map(({ apiName }) => apiName)}
          />
          {hasTried && mistake !== undefined && (
            <p role="alert" className={styles.mistake}>
              {mistake}
            </p>
          )}
          {error !== undefined && <ErrorNote error={error} />}
          <footer>
            <Button onClick={() => dialog.current?.close()}>Cancel</Button>
            <Button kind="primary" type="submit" disabled={isSaving}>
              {isSaving ? 'Creating…' : 'Create'}
            </Button>
          </footer>
        </form>
      ) : (
        <div className={styles.created}>
          <h2>{created.name} is ready</h2>
          <Secrets values={secretsOf(created, isClient)} />
          <footer>
            <Button kind="primary" onClick={() => dialog.current?.close()}>
              Done
            </Button>
          </footer>
        </div>
      )}
    </dialog>
  )
}

function secretsOf({ id, token, clientSecret }: Created, isClient: boolean) {
  return [
    ...(isClient ? [{ name: 'Client id', value: id, isSecret: false }] : []),
    ...(clientSecret === undefined
      ? []
      : [{ name: 'Client secret', value: clientSecret, isSecret: true }]),
    ...(token === undefined ? [] : [{ name: 'Token', value: token, isSecret: true }]),
  ]
}
